import { toPieces } from './tokens.ts';

/** Ways in which a model gets its tool calls wrong (F8); `text` has each vendor's own form. */
export const CALL_FAULTS = [
  'interleaved',
  'noid',
  'noindex',
  'object',
  'truncated',
  'text',
  'unknown',
  'duplicate',
  'concatenated',
  'stopfinish',
] as const;

export type CallFault = (typeof CALL_FAULTS)[number];

export interface MadeCall {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly arguments: string;
}

/** `F8.noid` → `noid`. */
export function callFaultOf(id: string | undefined): CallFault | undefined {
  return CALL_FAULTS.find((kind) => id === `F8.${kind}`);
}

/** The calls with what is wrong about their content; how they are written comes after. */
export function spoilCalls(
  calls: readonly MadeCall[],
  kind: CallFault | undefined,
): readonly MadeCall[] {
  const [first] = calls;
  if (first === undefined || kind === undefined) return calls;
  switch (kind) {
    case 'truncated':
      return calls.map((call) => ({
        ...call,
        arguments: call.arguments.slice(0, Math.max(1, Math.floor(call.arguments.length / 2))),
      }));
    case 'unknown':
      return calls.map((call) => ({ ...call, name: `${call.name}_that_nobody_offered` }));
    case 'concatenated':
      return calls.map((call) => ({ ...call, arguments: call.arguments + call.arguments }));
    case 'duplicate':
      return calls.length > 1 ? calls.map((call) => ({ ...call, id: first.id })) : [first, first];
    case 'interleaved':
      return calls.length > 1 ? calls : [first, { ...first, id: `${first.id}-2` }];
    case 'noid':
    case 'noindex':
    case 'object':
    case 'stopfinish':
    case 'text':
      return calls;
  }
}

/** `message.tool_calls` of a JSON answer. */
export function toCallList(calls: readonly MadeCall[], kind: CallFault | undefined): object[] {
  return calls.map((call) => ({
    ...(kind === 'noid' ? {} : { id: call.id }),
    type: call.type,
    function: {
      name: call.name,
      arguments: kind === 'object' ? readObject(call.arguments) : call.arguments,
    },
  }));
}

/**
 * `delta.tool_calls` of a stream, one list for each event: the head of a call, then its arguments
 * piece by piece.
 */
export function toCallDeltas(calls: readonly MadeCall[], kind: CallFault | undefined): object[][] {
  const streams = calls.map((call, index) => {
    const place = kind === 'noindex' ? {} : { index };
    const head = {
      ...place,
      ...(kind === 'noid' ? {} : { id: call.id }),
      type: call.type,
      function: {
        name: call.name,
        arguments: kind === 'object' ? readObject(call.arguments) : '',
      },
    };
    if (kind === 'object') return [head];
    return [
      head,
      ...toPieces(call.arguments).map((piece) => ({ ...place, function: { arguments: piece } })),
    ];
  });
  if (kind !== 'interleaved') return streams.flat().map((delta) => [delta]);
  const mixed: object[][] = [];
  const longest = Math.max(0, ...streams.map((stream) => stream.length));
  for (let at = 0; at < longest; at += 1)
    for (const stream of streams.toReversed()) {
      const delta = stream[at];
      if (delta !== undefined) mixed.push([delta]);
    }
  return mixed;
}

function readObject(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Text that is not JSON cannot become an object.
    return text;
  }
}
