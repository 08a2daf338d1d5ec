/** An event of a stream, parsed by a client. */
export type StreamEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** A content block, assembled by a client. */
export interface ReadBlock {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  text: string;
  readonly start: Readonly<Record<string, unknown>>;
}

export interface ReadStream {
  readonly ended: 'well' | 'failed' | 'not';
  readonly blocks: readonly ReadBlock[];
  readonly events: readonly StreamEvent[];
  /** The last event before the end. */
  readonly delta: StreamEvent | undefined;
}

export function parseStream(text: string): readonly StreamEvent[] {
  if (text === '') return [];
  if (!text.endsWith('\n\n')) throw new Error('The stream ends within an event.');
  return text
    .slice(0, -2)
    .split('\n\n')
    .map((each) => {
      const [, type, data] = /^event: ([a-z_]+)\ndata: ([^\n\r]*)$/.exec(each) ?? [];
      if (data === undefined) throw new Error(`This is no event: ${each}`);
      const event = JSON.parse(data) as StreamEvent;
      if (event.type !== type) throw new Error(`${type} says that it is ${event.type}.`);
      return event;
    });
}

const DELTAS: Readonly<Record<string, readonly [block: string, member: string]>> = {
  text_delta: ['text', 'text'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['thinking', 'signature'],
  input_json_delta: ['tool_use', 'partial_json'],
};

/**
 * Reads a stream as a strict client: one message, one open block at a time, ascending indexes,
 * deltas of the kind of their block, and nothing after the end. Throws for violations.
 */
export function readStream(text: string): ReadStream {
  const events = parseStream(text);
  const blocks: ReadBlock[] = [];
  let open: number | undefined;
  let stage: 'before' | 'begun' | 'told' | 'stopped' | 'failed' = 'before';
  let delta: StreamEvent | undefined;
  const expect = (isSo: boolean, what: string) => {
    if (!isSo) throw new Error(`${what}\n${text}`);
  };
  for (const event of events) {
    expect(stage !== 'stopped' && stage !== 'failed', `${event.type} comes after the end.`);
    switch (event.type) {
      case 'ping':
        break;
      case 'message_start':
        expect(stage === 'before', 'The message starts twice.');
        stage = 'begun';
        break;
      case 'content_block_start': {
        expect(stage === 'begun' && open === undefined, 'A block starts within another.');
        expect(event['index'] === blocks.length, 'Indexes do not count up.');
        open = blocks.length;
        blocks.push(started(event['content_block'] as ReadBlock['start']));
        break;
      }
      case 'content_block_delta': {
        expect(open !== undefined && event['index'] === open, 'A delta is of no open block.');
        const told = event['delta'] as Record<string, string>;
        const [kind, member = ''] = DELTAS[told['type'] ?? ''] ?? [];
        const block = blocks[open ?? -1];
        expect(block?.type === kind, `${told['type']} does not belong to ${block?.type}.`);
        expect(typeof told[member] === 'string', `${told['type']} adds nothing.`);
        if (block && told['type'] !== 'signature_delta') block.text += told[member];
        break;
      }
      case 'content_block_stop':
        expect(open !== undefined && event['index'] === open, 'No such block is open.');
        open = undefined;
        break;
      case 'message_delta':
        expect(stage === 'begun' && open === undefined, 'The end is told while a block is open.');
        stage = 'told';
        delta = event;
        break;
      case 'message_stop':
        expect(stage === 'told', 'The message stops before its end is told.');
        stage = 'stopped';
        break;
      case 'error':
        expect(stage === 'begun', 'An error is told outside the message.');
        stage = 'failed';
        break;
      default:
        throw new Error(`There is no event ${event.type}.`);
    }
  }
  const ended = stage === 'stopped' ? 'well' : stage === 'failed' ? 'failed' : 'not';
  return { ended, blocks, events, delta };
}

function started(start: Readonly<Record<string, unknown>>): ReadBlock {
  const { type, id, name, text = '' } = start;
  return {
    type: String(type),
    ...(typeof id === 'string' && { id }),
    ...(typeof name === 'string' && { name }),
    text: String(text),
    start,
  };
}
