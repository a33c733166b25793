"""The OpenAPI document of everything under /api/.

Paths, path parameters, methods and scopes come from the URLconf and its views; what else there is to say of an operation
stands in the tables of the applications, by the name of the route and the method. A test holds the two together.
"""
