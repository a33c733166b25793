export { EditorState, Compartment, StateField, StateEffect } from "@codemirror/state";
export { EditorView, keymap, lineNumbers, placeholder, gutter, GutterMarker, Decoration, MatchDecorator, ViewPlugin } from "@codemirror/view";
export { standardKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export { StreamLanguage, syntaxHighlighting, indentUnit } from "@codemirror/language";
export { classHighlighter } from "@lezer/highlight";
export { python } from "@codemirror/legacy-modes/mode/python";
export { shell } from "@codemirror/legacy-modes/mode/shell";
