import { MAX_KEY_INPUT_CHARS } from '#config/keys.ts';
import { CallError } from '#core/call-error.ts';
import type { Output } from './io.ts';
import { typeKey } from './type-key.ts';

const ENTER = /[\r\n]/;
const CANCEL = new Set(['\u0003', '\u0004']);

/** A secret from whoever runs the command: typed without being shown, or all of what is piped in. */
export async function readSecret(prompt: string, shown: Output): Promise<string> {
  const secret = process.stdin.isTTY ? await typed(prompt, shown) : await piped();
  return secret.trim();
}

async function piped(): Promise<string> {
  let text = '';
  process.stdin.setEncoding('utf8');
  for await (const chunk of process.stdin) {
    text += String(chunk);
    // Whatever this is, it is not a key; what is there is enough to be refused as too long.
    if (text.length > MAX_KEY_INPUT_CHARS) break;
  }
  return text;
}

async function typed(prompt: string, shown: Output): Promise<string> {
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
        secret = typeKey(secret, key);
      }
    }
    return secret;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    shown.write('\n');
  }
}
