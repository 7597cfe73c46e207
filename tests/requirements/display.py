"""Promises about seeing runs and lists."""

from __future__ import annotations

from tests.requirements._promise import Promise

DOC = "docs/display.md"

PROMISES = (
    Promise(
        "DSP-01",
        "What an agent says or a tool returns never becomes markup, script or terminal control.",
        DOC,
    ),
    Promise("DSP-02", "Values under names of secrets, and known kinds of keys, are not displayed.", DOC),
    Promise(
        "DSP-03",
        "A picture of a run is of bounded size, whatever the run says, and tells what it leaves out.",
        DOC,
    ),
    Promise(
        "DSP-04", "The two reports of a tool call appear as one, with its arguments and its result.", DOC
    ),
    Promise(
        "DSP-05",
        "Only a result ends a run in a picture; usage that was not reported is not shown as zero.",
        DOC,
    ),
    Promise(
        "DSP-06",
        "Lists, results and usage draw themselves in notebooks and in rich; they stay what they are.",
        DOC,
    ),
    Promise(
        "DSP-07", "display() shows the whole run, what was read before included, and returns its result.", DOC
    ),
    Promise("DSP-08", "display() draws at a bounded rate, and the last state always.", DOC),
    Promise(
        "DSP-09", "A display that is cancelled leaves the run going on, and the terminal as it was.", DOC
    ),
    Promise(
        "DSP-10",
        "A stream that is lost for good is shown as such and raised; one that is resumed is shown once.",
        DOC,
    ),
    Promise(
        "DSP-11", "What was asked for and cannot be had is an error that says what to install or do.", DOC
    ),
    Promise("DSP-12", "Drawing the picture of a run takes nothing from its stream.", DOC),
    Promise("DSP-13", "Without rich, IPython or markdown-it-py a run is still shown, as text.", DOC),
    Promise(
        "DSP-14",
        "Interrupting a cell gives the prompt back and cancels its run; a kernel that ends leaves no bridge.",
        DOC,
    ),
)
