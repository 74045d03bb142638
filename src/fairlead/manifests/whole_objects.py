"""What has no replicas: it goes to clusters as a whole, and is told in one line."""

from collections.abc import Iterable, Iterator

from fairlead.manifests.facts import follows, source_of, without_replicas
from fairlead.manifests.join import Subject
from fairlead.models.statement import PROPAGATED, Statement
from fairlead.models.words import counted, listed


def whole_objects(subjects: Iterable[tuple[Subject, str]]) -> Iterator[Statement]:
    """Say what is propagated and not divided: what has no replicas, and what goes where others need it.

    Parameters
    ----------
    subjects
        Everything that the input says something of, with its key.
    """
    known = [(subject, key) for subject, key in subjects if without_replicas(subject) or follows(subject)]
    if known:
        names = listed([f"{subject.identity.kind} {key}" for subject, key in known])
        text = f"{counted(len(known), 'object')} without replicas of its own" if len(known) == 1 else ""
        text = text or f"{counted(len(known), 'object')} without replicas of their own"
        where = min(source_of(subject) for subject, _ in known)
        yield Statement(PROPAGATED, f"{text}, propagated and not divided: {names}", where)
