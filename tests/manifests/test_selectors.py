"""Label and field selectors: the rules of Kubernetes and of Karmada."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlead.manifests.api.policies import ClusterSet
from fairlead.manifests.karmada.groups import matches
from fairlead.models.cluster import Cluster
from fairlead.models.selectors import (
    LabelSelector,
    Operator,
    SelectorRequirement,
    field_problem,
    operator_problem,
)

words = st.sampled_from(["a", "b", "c"])
label_sets = st.dictionaries(words, words)
value_sets = st.lists(words, min_size=1).map(tuple)


@pytest.mark.parametrize(
    ("operator", "values", "matching", "other", "missing"),
    [
        # Columns: does it match a label of value 5, of value x, and a missing label?
        ("In", ("5", "6"), True, False, False),
        ("NotIn", ("5", "6"), False, True, True),
        ("Exists", (), True, True, False),
        ("DoesNotExist", (), False, False, True),
        ("Gt", ("4",), True, False, False),
        ("Gt", ("5",), False, False, False),
        ("Lt", ("6",), True, False, False),
        ("Lt", ("5",), False, False, False),
        # Not an integer on the other side: nothing matches.
        ("Gt", ("four",), False, False, False),
    ],
)
def test_operators(
    operator: Operator, values: tuple[str, ...], matching: bool, other: bool, missing: bool
) -> None:
    """Every operator on a label that has the value, that has another, and that is missing."""
    requirement = SelectorRequirement("tier", operator, values)
    assert requirement.matches({"tier": "5"}) is matching
    assert requirement.matches({"tier": "x"}) is other
    assert requirement.matches({"other": "5"}) is missing


@pytest.mark.parametrize(
    ("label", "matches"),
    [
        ("10", True),
        ("-3", False),
        ("+10", True),
        ("9", False),
        (" 10", False),
        ("1_0", False),
        ("\u0661\u0660", False),
        ("10.5", False),
        ("9223372036854775807", True),
        ("9223372036854775808", False),
        ("", False),
    ],
)
def test_comparison_is_of_integers_not_of_text(label: str, matches: bool) -> None:
    """10 is more than 9 although its text comes first; what Go's 64-bit parser refuses does not match."""
    assert SelectorRequirement("tier", "Gt", ("9",)).matches({"tier": label}) is matches


@given(label_sets, words, value_sets)
def test_not_in_is_the_opposite_of_in(labels: dict[str, str], key: str, values: tuple[str, ...]) -> None:
    """Each label set matches exactly one of an operator and its negation."""
    pairs = (
        (SelectorRequirement(key, "In", values), SelectorRequirement(key, "NotIn", values)),
        (SelectorRequirement(key, "Exists"), SelectorRequirement(key, "DoesNotExist")),
    )
    for positive, negative in pairs:
        assert positive.matches(labels) is not negative.matches(labels)


@given(label_sets, label_sets, st.lists(st.builds(SelectorRequirement, words, st.just("In"), value_sets)))
def test_a_selector_wants_everything_at_once(
    labels: dict[str, str], wanted: dict[str, str], expressions: list[SelectorRequirement]
) -> None:
    """A label in matchLabels is an expression with one value, and all expressions hold together."""
    selector = LabelSelector.of(wanted, expressions)
    single = [SelectorRequirement(key, "In", (value,)) for key, value in wanted.items()]
    assert selector.matches(labels) is all(item.matches(labels) for item in single + expressions)


def test_an_empty_selector_matches_everything() -> None:
    """No expression, nothing to fail."""
    assert LabelSelector().matches({})
    assert LabelSelector().matches({"a": "b"})


def test_selectors_do_not_depend_on_the_order_of_labels() -> None:
    """The same labels make the same selector, usable as a key."""
    first, second = LabelSelector.of({"a": "1", "b": "2"}), LabelSelector.of({"b": "2", "a": "1"})
    assert first == second
    assert hash(first) == hash(second)


@pytest.mark.parametrize(
    ("operator", "values", "zones", "matches"),
    [
        ("In", ("z1",), ("z1", "z2"), True),
        ("In", ("z3",), ("z1", "z2"), False),
        ("In", ("z1",), (), False),
        # One zone among the values is enough to fail NotIn.
        ("NotIn", ("z1",), ("z1", "z2"), False),
        ("NotIn", ("z3",), ("z1", "z2"), True),
        ("NotIn", ("z1",), (), True),
        ("Exists", (), ("z1",), True),
        ("Exists", (), (), False),
        ("DoesNotExist", (), (), True),
        ("DoesNotExist", (), ("z1",), False),
        ("Gt", ("1",), ("0", "2"), True),
    ],
)
def test_zones_are_tested_as_a_list(
    operator: Operator, values: tuple[str, ...], zones: tuple[str, ...], matches: bool
) -> None:
    """A cluster in several zones has every one of them."""
    assert SelectorRequirement("zone", operator, values).among(zones) is matches


def selected(key: str, operator: str, *values: str, **where: str | None) -> bool:
    """Tell whether a field selector of one expression matches a cluster that lies somewhere."""
    expression = {"key": key, "operator": operator, "values": list(values)}
    affinity = ClusterSet.model_validate({"fieldSelector": {"matchExpressions": [expression]}})
    return matches(affinity, Cluster("m", zones=("z",), provider=where["provider"], region=where["region"]))


@pytest.mark.parametrize("missing", [None, ""])
def test_a_missing_field_is_a_missing_key(missing: str | None) -> None:
    """In fails and NotIn passes where a cluster does not tell its provider or region."""
    assert not selected("provider", "In", "aws", provider=missing, region="r")
    assert selected("provider", "NotIn", "aws", provider=missing, region="r")
    assert not selected("region", "Exists", provider="aws", region=missing)
    assert selected("region", "DoesNotExist", provider="aws", region=missing)


def test_provider_and_region_are_not_mixed_up() -> None:
    """Each key looks at its own field."""
    assert selected("provider", "In", "aws", provider="aws", region="eu")
    assert not selected("region", "In", "aws", provider="aws", region="eu")
    assert selected("region", "In", "eu", provider="aws", region="eu")


@pytest.mark.parametrize(
    ("operator", "values", "reason"),
    [
        ("In", ["a"], None),
        ("NotIn", ["a", "b"], None),
        ("Exists", [], None),
        ("DoesNotExist", [], None),
        ("Gt", ["-3"], None),
        ("Lt", ["3"], None),
        ("In", [], "is empty, but In needs at least one value"),
        ("NotIn", [], "is empty, but NotIn needs at least one value"),
        ("Exists", ["a"], "must be left out: Exists takes no values"),
        ("DoesNotExist", ["a"], "must be left out: DoesNotExist takes no values"),
        ("Gt", [], "does not go with Gt, which needs exactly one value, an integer"),
        ("Gt", ["1", "2"], "does not go with Gt, which needs exactly one value, an integer"),
        ("Lt", ["x"], "does not go with Lt, which needs exactly one value, an integer"),
        ("in", ["a"], "is an unknown operator; allowed are In, NotIn, Exists, DoesNotExist, Gt, Lt"),
    ],
)
def test_reasons_why_an_operator_is_wrong(operator: str, values: list[str], reason: str | None) -> None:
    """The reason names the operator and what is allowed."""
    assert operator_problem(operator, values) == reason


@pytest.mark.parametrize(
    ("key", "operator", "values", "reason"),
    [
        ("zone", "In", ["a"], None),
        ("provider", "Exists", [], None),
        ("zones", "In", ["a"], "is an unknown field; allowed are provider, region, zone"),
        ("region", "In", [], "is empty, but In needs at least one value"),
        ("region", "Gt", ["1"], "Gt compares numbers; allowed here are In, NotIn, Exists, DoesNotExist"),
    ],
)
def test_reasons_why_a_field_expression_is_wrong(
    key: str, operator: str, values: list[str], reason: str | None
) -> None:
    """Only the three fields of a cluster can be named, and none is a number."""
    assert field_problem(key, operator, values) == reason
