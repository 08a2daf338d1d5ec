import { MAX_KEY_INPUT_CHARS } from '#config/secrets/keys.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Output } from './io.ts';

const ENTER = /[\r\n]/;
const CANCEL = new Set(['\u0003', '\u0004']);

/** Reads a secret from the user: typed without being shown, or all of standard input. */
export async function readSecret(prompt: string, shown: Output): Promise<string> {
  const secret = process.stdin.isTTY
    ? await readTypedSecret(prompt, shown)
    : await readPipedSecret();
  return secret.trim();
}

async function readPipedSecret(): Promise<string> {
  let text = '';
  process.stdin.setEncoding('utf8');
  for await (const chunk of process.stdin) {
    text += String(chunk);
    // This is too long for a key; reading stops, and the length check rejects it.
    if (text.length > MAX_KEY_INPUT_CHARS) break;
  }
  return text;
}

async function readTypedSecret(prompt: string, shown: Output): Promise<string> {
  const { stdin } = process;
  shown.write(prompt);
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  try {
    let secret = '';
    for await (const chunk of stdin.iterator({ destroyOnReturn: false })) {
      for (const key of String(chunk)) {
        if (ENTER.test(key)) return secret;
        if (CANCEL.has(key)) throw new CallError('cancelled', 'Cancelled; nothing was stored.');
        secret = applyKey(secret, key);
      }
    }
    return secret;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    shown.write('\n');
  }
}

const BACKSPACE = '\u007F';
const CTRL_H = '\b';
const CTRL_U = '\u0015';
const CTRL_W = '\u0017';

/** The line after one more key press, with the editing keys of a terminal. */
export function applyKey(line: string, key: string): string {
  switch (key) {
    case BACKSPACE:
    case CTRL_H:
      return line.slice(0, -1);
    case CTRL_U:
      return '';
    case CTRL_W:
      return line.replace(/\S*\s*$/, '');
    default:
      return line + key;
  }
}
