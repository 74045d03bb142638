"""Hook of mkdocs: adds the pages that are no files of ``docs/``, and makes links hold on the site."""

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from site_commands import command_line_page
from site_examples import example_pages
from site_kinds import kinds_page
from site_links import MOVED, ROOT, for_site
from site_python import python_pages


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add README and its like, the examples and the reference to the pages."""
    pages = {place: (ROOT / source).read_text(encoding="utf-8") for source, place in MOVED.items()}
    pages |= example_pages() | python_pages()
    pages["reference/command-line.md"] = command_line_page()
    pages["reference/kinds.md"] = kinds_page()
    for place, text in pages.items():
        files.append(File.generated(config, place, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Point the links of a page to where their targets are on the site."""
    return for_site(markdown, page.file.src_uri)
