"""Which files a path means, and the names under which they are stored."""

from errno import EACCES
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.errors import ReadError
from lessons.ingest.read import list_files, read, stored_name, unreadable_files


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="does not exist"):
        list_files([tmp_path / "nothing.txt"])


def test_a_path_that_no_file_can_have_is_told(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="cannot be opened: File name too long"):
        list_files([tmp_path / ("x" * 300)])


def test_a_folder_whose_files_cannot_be_looked_at_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "image.png").touch()

    def refuse(file: Path) -> bool:
        raise PermissionError(EACCES, "Permission denied", str(file))

    monkeypatch.setattr(Path, "is_file", refuse)  # as in a folder that may be listed, but not entered
    with pytest.raises(ReadError, match=r"image\.png cannot be opened: Permission denied"):
        list_files([tmp_path])


def test_nobody_looks_at_hidden_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "lock").touch()
    (tmp_path / "a.txt").write_text("text")
    look = Path.is_file

    def refuse(file: Path) -> bool:
        if ".cache" in file.parts:
            raise PermissionError(EACCES, "Permission denied", str(file))
        return look(file)

    monkeypatch.setattr(Path, "is_file", refuse)
    assert [name for _, name in list_files([tmp_path])] == ["a.txt"]
    assert unreadable_files([tmp_path]) == []


def test_a_folder_gives_its_files_by_their_place_in_it(tmp_path: Path) -> None:
    for name in ("b.txt", "sub/a.md", ".hidden/c.txt", "image.png", "folder.pdf/d.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("text")
    assert [name for _, name in list_files([tmp_path])] == ["b.txt", "folder.pdf/d.txt", "sub/a.md"]


def test_two_files_of_one_name_keep_apart(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text(folder)
    names = [name for _, name in list_files([tmp_path / "x" / "a.txt", tmp_path / "y" / "a.txt"])]
    assert len(set(names)) == 2


def test_a_file_that_is_named_twice_keeps_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    assert [name for _, name in list_files([tmp_path, tmp_path / "a.txt"])] == ["a.txt", "a.txt"]


def test_a_link_out_of_the_folder_is_refused_and_one_within_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / "own.txt").write_text("own")
    (folder / "inside.txt").symlink_to(folder / "own.txt")
    (folder / "outside.txt").symlink_to(tmp_path / "secret.txt")
    inside, outside, own = list_files([folder])
    assert [read(*named)[0].text for named in (inside, own)] == ["own", "own"]
    with pytest.raises(ReadError, match=r"outside.txt is a link that leads out of its folder"):
        read(*outside)


def test_a_link_that_is_given_itself_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    (tmp_path / "link.txt").symlink_to(tmp_path / "a.txt")
    ((path, name),) = list_files([tmp_path / "link.txt"])
    assert (read(path, name)[0].text, name) == ("text", "link.txt")


@pytest.mark.parametrize(
    ("given_name", "name"),
    [
        ("../../etc/a.txt", "etc/a.txt"),
        ("/etc/a.txt", "etc/a.txt"),
        ("..\\..\\a.txt", "a.txt"),
        ('it\'s "a"\nb.txt', 'it\'s "a" b.txt'),
        ("\u1112\u1161\u11ab.txt", "한.txt"),
        ("..", "unnamed"),
    ],
)
def test_a_name_is_stored_on_one_line_composed_and_without_a_way_out(given_name: str, name: str) -> None:
    assert stored_name(given_name) == name


@given(st.text(max_size=40) | st.text("./\\ \n\ta한\u1112\u1161\u200b\0", max_size=12))
def test_a_stored_name_never_leaves_its_folder_and_stays_as_it_is(text: str) -> None:
    name = stored_name(text)
    assert not PurePosixPath(name).is_absolute()
    assert ".." not in PurePosixPath(name).parts
    assert "\n" not in name
    assert stored_name(name) == name


def test_the_lock_files_of_open_documents_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("The trail closes at dusk.")
    (tmp_path / "~$a.docx").write_bytes(bytes(162))
    assert [name for _, name in list_files([tmp_path])] == ["a.md"]
    assert unreadable_files([tmp_path]) == []


@pytest.mark.parametrize("name", ["a.hwp", "a.xlsx", "a.PPT", "a.csv", "noname"])
def test_a_format_that_is_not_read_is_refused_with_what_to_save_it_as(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\xd0\xcf\x11\xe0" + bytes(600))
    with pytest.raises(ReadError, match=r"can be read \(.*\.docx.*\); save it as PDF or DOCX\."):
        read(tmp_path / name)
