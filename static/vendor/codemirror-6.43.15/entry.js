export { StringStream } from "@codemirror/streamparser";
export { EditorState, StateField, StateEffect } from "@codemirror/state";
export { EditorView, keymap, lineNumbers, placeholder, gutter, GutterMarker, Decoration, ViewPlugin } from "@codemirror/view";
export { history, historyKeymap, selectAll, cursorDocStart, cursorDocEnd, selectDocStart, selectDocEnd, cursorPageUp, cursorPageDown, selectPageUp, selectPageDown } from "@codemirror/commands";
export { python } from "@codemirror/legacy-modes/mode/python";
export { shell } from "@codemirror/legacy-modes/mode/shell";
