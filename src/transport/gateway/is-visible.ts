/** Anything that can be seen. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}]/u;

export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}
