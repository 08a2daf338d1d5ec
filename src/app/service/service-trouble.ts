import type { CallError } from '#core/call-error.ts';

/** What was left undone, why, and what does it. */
export interface ServiceTrouble {
  readonly error: CallError;
  /** To be typed, in this order. */
  readonly commands: readonly string[];
}

export function troubleWords({ error, commands }: ServiceTrouble): string {
  const lines = commands.map((each) => `  ${each}\n`).join('');
  return `exai: ${error.message}\nWhat is left to do:\n${lines}`;
}
