# SPDX-License-Identifier: Apache-2.0
"""What the documentation site is made of; `./check docs` builds it into build/site.

declarations  what the headers declare, as clang's syntax tree has it
source        a declaration as it is written: its signature, the comment above it, where it is compiled
contracts     comments as Markdown: paragraphs, code, laws, links to what they name
reference     the pages of the reference, and which name stands where
exports       the names that the modules export
pages         every other page: documents, and the files that they link to
links         links of the finished pages that lead nowhere
build         all of it, in order
samples       a header and pages with every fault that is to be found, and the answers

theme/ is the Hugo project that turns the pages into HTML. docs/design/site.md says why.
"""
