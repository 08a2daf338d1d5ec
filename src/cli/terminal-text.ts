/**
 * DEL, the C1 controls, and the characters that change the direction of the text around them: JSON leaves them as they are, and
 * on a terminal they act instead of being seen. Nothing that the program itself writes contains one.
 */
const INVISIBLE = /[\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** A terminal obeys control characters, and a tool may repeat a stranger's; tabs and line breaks are just text. */
export function harmless(text: string): string {
  return text.replaceAll(/(?![\t\n])\p{Cc}/gu, (char) => (char === '\r' ? '' : visible(char)));
}

/** Everything that a terminal shows, of whichever command, passes here. */
export function showInvisible(text: string): string {
  return text.replaceAll(INVISIBLE, visible);
}

/** An equal JSON text in which they are escape sequences. Outside of strings JSON has none of them. */
export function escapeJsonControls(json: string): string {
  return json.replaceAll(INVISIBLE, (char) => `\\u${hex(char).padStart(4, '0')}`);
}

function visible(char: string): string {
  return `\\u{${hex(char)}}`;
}

function hex(char: string): string {
  return char.charCodeAt(0).toString(16);
}
