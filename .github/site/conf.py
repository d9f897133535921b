"""The executed notebooks as a static site; `.github/workflows/site.yml` has the command that builds it."""

from pathlib import Path

from sphinx.application import Sphinx

project = "RAG workbook"
html_title = project
html_theme = "sphinx_book_theme"
html_theme_options = {"show_navbar_depth": 1, "home_page_in_toc": True}
extensions = ["myst_nb", "sphinxcontrib.mermaid"]
root_doc = "README"
notebooks = ("*.ipynb", "*.md", "ko/*.ipynb", "ko/*.md")
guides = ("data/runs", "data/recorded", "lessons", "lessons/cli", "lessons/models", "lessons/scale")
include_patterns = [
    *("README*.md", "data/README.md", "data/field*.md", ".github/*.md"),
    *(f"{folder}/README*.md" for folder in guides),
    *(f"notebooks/{name}" for name in notebooks),
]
html_static_path = ["static"]
html_css_files = ["korean.css"]  # Korean breaks between words
nb_execution_mode = "off"  # their outputs are compared by the tests
myst_enable_extensions = ["dollarmath"]
myst_fence_as_directive = ["mermaid"]

ROOT = Path(__file__).parents[2]


def add_contents(app: Sphinx, name: str, source: list[str]) -> None:
    """Give the README of an edition a table of its notebooks, which the side bar shows."""
    folders = {"README": "notebooks", "README.ko": "notebooks/ko"}
    if folder := folders.get(name):
        pages = [f"{folder}/{path.stem}" for path in sorted((ROOT / folder).glob("*.ipynb"))]
        others = [f"{folder}/README", f"{folder}/TEACHING", name.replace("README", "data/field")]
        others += [f"{guide}/{name}" for guide in guides] + [name.replace("README", ".github/CONTRIBUTING")]
        if name == "README":
            others += ["data/README", ".github/CHANGELOG", ".github/SECURITY", "README.ko"]
        source[0] += "\n".join(["\n", "```{toctree}", ":hidden:", *pages, *others, "```", ""])


def setup(app: Sphinx) -> None:
    app.connect("source-read", add_contents)
