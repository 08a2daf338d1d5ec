/**
 * DEL, C1 controls and bidirectional controls. JSON leaves them unescaped, and a terminal acts on
 * them instead of showing them. The program's own texts contain none.
 */
const INVISIBLE = /[\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/**
 * Makes control characters visible, because a tool may return foreign text and a terminal would
 * execute them. Tabs and line breaks stay.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(/(?![\t\n])\p{Cc}/gu, (char) => (char === '\r' ? '' : visible(char)));
}

/** Makes invisible characters visible. All output to a terminal passes here. */
export function escapeInvisible(text: string): string {
  return text.replaceAll(INVISIBLE, visible);
}

/** Escapes the same characters in a JSON text. Outside of strings JSON has none of them. */
export function escapeJsonControls(json: string): string {
  return json.replaceAll(INVISIBLE, (char) => `\\u${hex(char).padStart(4, '0')}`);
}

function visible(char: string): string {
  return `\\u{${hex(char)}}`;
}

function hex(char: string): string {
  return char.charCodeAt(0).toString(16);
}
