"""Whether everything works here: the doctor's lines, what is in use, and how to use something else."""

import streamlit as st

from lessons.doctor import Report, examine, hidden, issue_report
from lessons.pages.language import N_, _
from lessons.settings import settings
from lessons.tables import plain

PLUGS = {
    N_("An OpenAI key"): (
        N_(
            "Answers then come from OpenAI, and documents are embedded by its model into tables of their own. "
            "Every answer costs money; the trace of each says how much."
        ),
        "OPENAI_API_KEY=sk-…\nLESSONS_LLM_MODEL=gpt-4o-mini",
    ),
    N_("A server of your own"): (
        N_(
            "Any server that speaks OpenAI's protocol answers, such as Ollama or vLLM. Embeddings stay keyless, unless "
            "a model for them is named, too."
        ),
        "OPENAI_BASE_URL=http://127.0.0.1:11434/v1\nLESSONS_LLM_MODEL=llama3.1",
    ),
    N_("Your own PostgreSQL"): (
        N_(
            "It needs the extension pgvector. What the embedded database holds is not moved: ingest your documents "
            "again."
        ),
        "DATABASE_URL=postgresql://user:password@host:5432/database",
    ),
    N_("Another data folder"): (
        N_("The embedded database and its files live there, so another folder means another database."),
        "LESSONS_DATA_DIR=/path/to/folder",
    ),
}


def page() -> None:
    """Examine on opening and on demand; no secret is shown, whatever a check says."""
    st.title(_("Health"), anchor=False)
    st.caption(_("What runs here, and what to do if something does not. The command *lessons doctor* says the same."))
    if st.button(_("Check again"), icon=":material/refresh:"):
        _examined.clear()
    with st.spinner(_("Looking …")):
        report = _examined()
    if report.ok:
        st.success(_("Everything works."))
    else:
        _examined.clear()  # only a good report is remembered: what is mended is to be seen at once
        st.error(_("Something does not work; the lines marked No say what to do."))
    for check in report:
        colour, word = ("green", _("OK")) if check.ok else ("red", _("No"))
        st.markdown(f":{colour}-badge[{word}] **{plain(_(check.name))}**: {plain(_(hidden(check.detail, settings())))}")
    with st.expander(_("Versions, and what to paste into an issue")):
        if st.button(_("Write the report")):
            st.code(issue_report(), language="markdown")
    st.header(_("Use something else"), anchor=False)
    st.markdown(_("Put these lines into a file named `.env` in the workbook's folder, and start the app again."))
    for title, (sentence, lines) in PLUGS.items():
        with st.expander(_(title)):
            st.markdown(_(sentence))
            st.code(lines, language="bash")


@st.cache_data(ttl=60, show_spinner=False)
def _examined() -> Report:
    return examine()
