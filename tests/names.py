"""Names that point instead of naming, and docstrings that are no sentences in the imperative.

List them with `uv run python -m tests.names [FOLDER OR FILE]`.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

LESSONS = Path(__file__).parents[1] / "lessons"
VAGUE = set(
    re.findall(
        r"\w+",
        "said told asked found given known kept place each way wanted before behind beside after shown named "
        "meant held seen taken heard made chosen done spoken needed one other others rest whole few there "
        "here where what those these such own mine met thing",
    )
)

NO_VERBS = set(
    re.findall(
        r"\w+",
        "a all an and any as at both by each every few for from given how if in it its last no none not of on one only "
        "other says several some that the their there these this those to two what when where whether "
        "which who why with without",
    )
)


def trees(folder: Path) -> Iterator[tuple[Path, ast.Module]]:
    """Parse every module under a folder, or the one file that is named."""
    for path in [folder] if folder.is_file() else sorted(folder.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def bindings(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield every name that a module binds, with its line: functions, classes, parameters, variables and attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.name, node.lineno
        elif isinstance(node, ast.alias) and node.asname:
            yield node.asname, node.lineno


def vague(folder: Path = LESSONS) -> tuple[list[str], int]:
    """Return 'file:line name' for every vague binding under a folder or in a file, and the number of all bindings."""
    listed, count = [], 0
    for path, tree in trees(folder):
        for name, line in bindings(tree):
            count += 1
            if name.strip("_") in VAGUE:
                listed.append(f"{path.relative_to(LESSONS.parent)}:{line} {name}")
    return listed, count


def nominal(folder: Path = LESSONS) -> list[str]:
    """Return 'file:line first line' for every docstring of a function (no property) that begins without a verb."""
    listed = []
    for path, tree in trees(folder):
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (text := ast.get_docstring(node)):
                property_like = any("property" in ast.unparse(decorator) for decorator in node.decorator_list)
                if not property_like and text.split()[0].strip("`.,:").lower() in NO_VERBS:
                    listed.append(f"{path.relative_to(LESSONS.parent)}:{node.lineno} {text.splitlines()[0]}")
    return listed


if __name__ == "__main__":
    chosen_folder = [Path(argument).resolve() for argument in sys.argv[1:2]]
    nouns = nominal(*chosen_folder)
    print(*nouns, f"{len(nouns)} docstrings begin without a verb", sep="\n")
    listed, count = vague(*chosen_folder)
    print(*listed, sep="\n")
    print(Counter(line.split()[-1] for line in listed).most_common(50))
    print(f"{len(listed)} of {count} bindings: {len(listed) / count:.2%}")
