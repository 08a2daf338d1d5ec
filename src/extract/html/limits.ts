import { CallError } from '#core/errors/call-error.ts';

/** Pages beyond a limit are refused; nothing is shortened. */
export interface HtmlLimits {
  readonly maxBytes: number;
  readonly maxNodes: number;
}

export const HTML_LIMITS: HtmlLimits = { maxBytes: 32 * 1024 * 1024, maxNodes: 1_500_000 };

/**
 * Deeper elements become siblings at this depth, as in browsers, so that no walk of the tree is
 * deeper.
 */
export const MAX_DEPTH = 512;

export function requireSize(bytes: number, { maxBytes }: HtmlLimits): void {
  if (bytes <= maxBytes) return;
  throw new CallError(
    'too_large',
    `The page has ${bytes} bytes; the limit is ${maxBytes} bytes. Nothing was extracted.`,
    { field: 'page', fix: 'Read a smaller page, or a part of this one.' },
  );
}

export function tooManyNodes({ maxNodes }: HtmlLimits): CallError {
  return new CallError(
    'too_large',
    `The page has more than ${maxNodes} elements and texts. Nothing was extracted.`,
    { field: 'page', fix: 'Read a smaller page, or a part of this one.' },
  );
}
