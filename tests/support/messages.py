"""What modules say: their texts of several words, as the catalogues have them."""

import ast
from collections.abc import Iterator
from pathlib import Path


def sentences(path: Path, docs: bool = False) -> Iterator[str]:
    """The texts of a module, with `{0}`, `{1}` … for what the program fills in; its docstrings only if asked for."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    left_out = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and not docs}
    filled = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    left_out |= {id(part) for node in filled for part in node.values}
    left_out |= {
        id(part.format_spec) for node in filled for part in node.values if isinstance(part, ast.FormattedValue)
    }
    for node in ast.walk(tree):
        if id(node) not in left_out and (text := message(node)):
            yield text


def message(node: ast.expr | ast.AST) -> str:
    """The text of a constant, an f-string or a sum of them; empty if it is none."""
    places = iter(range(100))

    def of(part: ast.AST) -> str:
        match part:
            case ast.Constant(value=str(text)):
                return text
            case ast.JoinedStr(values=parts):
                return "".join(map(of, parts))
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return of(left) + of(right)
        return f"{{{next(places)}}}"

    return of(node) if isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp) else ""
