// The page of the API. A signed-in browser that tries something out sends its CSRF token, as every form of the portal does.
const place = document.getElementById("api");
const csrf = () => /(?:^|; )(?:__Host-)?csrftoken=([^;]+)/.exec(document.cookie)?.[1] ?? "";

SwaggerUIBundle({
  domNode: place,
  url: place.dataset.schema,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
  validatorUrl: null,
  requestInterceptor: (request) => {
    const own = new URL(request.url, location.href).origin === location.origin;
    if (own && !["GET", "HEAD"].includes((request.method ?? "GET").toUpperCase())) request.headers["X-CSRFToken"] = csrf();
    return request;
  },
});
