import type { ServerResponse } from 'node:http';
import { isObject } from './is-object.ts';
import { sleep } from './machine.ts';
import type { Fault, SseWriter } from './vendor.ts';
import { createWire } from './wire.ts';

export interface SseOptions {
  readonly fault: Fault | undefined;
  /** Before the first event, which is when the headers leave. */
  readonly firstMs: number;
  readonly chunkMs: number;
  readonly gone: () => AbortSignal;
}

const DEFAULT_AFTER = 3;

/** Faults that strike as soon as their number of events is through. */
const STRIKES = new Set(['F5.cut', 'F5.end', 'F5.stall']);

/**
 * Events on their way out, with the faults of streams: each happens here, so that every vendor has
 * it.
 */
export function createSse(res: ServerResponse, options: SseOptions): SseWriter {
  const { fault, firstMs, chunkMs, gone } = options;
  const kind = fault?.id;
  const wire = createWire(res);
  const end = kind === 'F6.crlf' ? '\r\n' : '\n';
  const label = kind === 'F6.nospace' ? 'data:' : 'data: ';
  const after =
    fault?.after ?? (kind === 'F11.error' || kind === 'F6.malformed' ? 0 : DEFAULT_AFTER);
  let held = '';
  let events = 0;
  let over: 'no' | 'silent' | 'ended' = kind === 'F5.headers' ? 'silent' : 'no';

  if (over === 'silent') res.flushHeaders();
  else if (kind === 'F6.bom') held = '\uFEFF';

  async function put(text: string): Promise<void> {
    if (over !== 'no') return;
    if (kind === 'F6.burst') {
      held += text;
      return;
    }
    const piece = held + text;
    held = '';
    if (kind === 'F6.split') await wire.trickle(piece);
    else await wire.write(piece);
  }

  async function finish(last: string): Promise<void> {
    if (over !== 'no') return;
    const piece = kind === 'F6.nonewline' ? last.trimEnd() : last;
    if (piece !== '' && kind !== 'F5.nodone') await put(piece);
    over = 'ended';
    if (!res.destroyed) res.end(held);
  }

  /** Whether the fault has struck, so that nothing more is written. */
  async function strike(): Promise<boolean> {
    if (over !== 'no') return true;
    if (kind === undefined || !STRIKES.has(kind) || events < after) return false;
    over = kind === 'F5.end' ? 'ended' : 'silent';
    if (kind === 'F5.end') res.end();
    else if (kind === 'F5.cut') {
      // The headers at least are out, so that the client sees an answer that breaks off.
      if (events === 0) await wire.flush(`:${end}`);
      else await wire.flush('');
      wire.destroy();
    } else if (events === 0) res.flushHeaders();
    return true;
  }

  async function inBand(): Promise<void> {
    if (events !== after) return;
    if (kind === 'F6.malformed')
      await put(`${label}{"id":"broken","choices":[{"delta":${end}${end}`);
    if (kind !== 'F11.error') return;
    await put(`${label}${JSON.stringify(inBandError(fault))}${end}${end}`);
    over = 'ended';
    res.end();
  }

  return {
    async event(data, name) {
      const waitMs = events === 0 ? firstMs + chunkMs : chunkMs;
      if (waitMs > 0) await sleep(waitMs, gone());
      if (await strike()) return;
      await inBand();
      if (over !== 'no') return;
      let text = '';
      if (kind === 'F6.comments') text += `: keep-alive ${events}${end}${end}`;
      if (kind === 'F6.fields')
        text += `id: ${events}${end}retry: 1000${end}strange: field${end}nocolon${end}`;
      if (kind === 'F6.nochoices' && isObject(data) && Array.isArray(data['choices']))
        text += `${label}${JSON.stringify({ ...data, choices: [] })}${end}${end}`;
      if (name !== undefined) text += `event: ${name}${end}`;
      if (kind === 'F6.multiline')
        for (const line of JSON.stringify(data, null, 1).split('\n'))
          text += `${label}${line}${end}`;
      else text += `${label}${JSON.stringify(kind === 'F6.role' ? withRole(data) : data)}${end}`;
      await put(text + end);
      events += 1;
    },
    async comment(text) {
      if (await strike()) return;
      await put(`: ${text}${end}${end}`);
    },
    async done() {
      if (await strike()) return;
      await inBand();
      const comment = kind === 'F6.comments' ? `: bye${end}${end}` : '';
      await finish(`${comment}${label}[DONE]${end}${end}`);
    },
    async end() {
      if (await strike()) return;
      await finish('');
    },
  };
}

/** The in-band error of a gateway; a vendor with a different text declares the fault itself. */
export function inBandError(fault: Fault | undefined): object {
  const faultOptions = fault?.with ?? {};
  return {
    error: {
      message: faultOptions['message'] ?? 'The engine broke off while it was answering.',
      type: faultOptions['type'] ?? 'server_error',
      ...(faultOptions['code'] !== undefined && { code: faultOptions['code'] }),
    },
  };
}

function withRole(data: unknown): unknown {
  if (!isObject(data) || !Array.isArray(data['choices'])) return data;
  const choices = data['choices'].map((choice: unknown) =>
    isObject(choice) && isObject(choice['delta'])
      ? { ...choice, delta: { role: 'assistant', ...choice['delta'] } }
      : choice,
  );
  return { ...data, choices };
}
