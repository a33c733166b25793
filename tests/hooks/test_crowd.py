"""A thousand hooks, two hundred custom agents, a hundred thousand evaluations: pages stay small and quick."""

import time
from typing import Any

import pytest
from django.test import Client

from agents.models import Agent
from hooks.models import Evaluation, Hook
from tests.crowd import fill

LIMIT = 200 * 1024
GRIDS = [
    "/hooks/",
    "/hooks/?page=20",
    "/hooks/?q=Tool99",
    "/hooks/?sort=name",
    "/hooks/?sort=last",
    "/hooks/?sort=blocks",
    "/hooks/?health=failing",
    "/hooks/?health=never-matched",
    "/hooks/?health=near-timeout&q=guard&sort=-last",
]


@pytest.mark.parametrize("address", [GRIDS])
def test_pages_of_a_crowd(as_bob: Client, agent: Agent, django_assert_max_num_queries: Any, address: list[str]) -> None:
    begun = time.perf_counter()
    fill(agent)
    print(f"\nfilled in {time.perf_counter() - begun:.1f} s")  # noqa: T201
    assert (Hook.objects.count(), Evaluation.objects.count()) == (1_000, 100_000)
    for one in address:
        with django_assert_max_num_queries(12) as made:
            begun = time.perf_counter()
            page = as_bob.get(one)
            took = time.perf_counter() - begun
        print(f"{one}: {took * 1000:.0f} ms, {len(made)} queries, {len(page.content) / 1024:.0f} KB")  # noqa: T201
        assert page.status_code == 200
        assert len(page.content) < LIMIT
        assert took < 3
