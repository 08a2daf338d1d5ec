import { DIRECT, toToolInput, type AnthropicBlock } from './message-response.ts';

/** A `tool_use` block of a stream. */
export interface ToolUseBlock {
  readonly is: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly text: ArgumentScanner;
  /** Text that waits until the block may be written. */
  held: string;
  stage: 'new' | 'waiting' | 'open' | 'closed';
}

type TextKind = 'text' | 'thinking';

interface TextBlock {
  readonly is: TextKind;
  held: string;
}

/**
 * Writes the content blocks of an answer one after the other, as Anthropic's format requires, while
 * vendors may interleave several tool calls. Input for another block waits until the open call is
 * complete, or until the end. Each method returns the events, or an empty text.
 */
interface ContentBlockStream {
  /** Number of blocks that have begun. */
  readonly begun: number;
  addText(kind: TextKind, text: string): string;
  /** `unreadable`: the arguments are not a JSON object, and are wrapped into one. */
  beginCall(id: string, name: string, as: 'object' | 'unreadable'): ToolUseBlock;
  arguments(call: ToolUseBlock, text: string): string;
  /** Writes a whole block; all blocks before it must have ended. */
  whole(block: AnthropicBlock): string;
  /** Ends the open block if it is of this kind. */
  close(kind: TextKind): string;
  /** Writes everything that waits, and ends all blocks. */
  settle(): string;
}

const EMPTY: Record<TextKind, AnthropicBlock> = {
  text: { type: 'text', text: '', citations: null },
  thinking: { type: 'thinking', thinking: '', signature: '' },
};

export function createContentBlockStream(): ContentBlockStream {
  let begun = 0;
  let head = '';
  let open: TextBlock | ToolUseBlock | undefined;
  const waiting: (TextBlock | ToolUseBlock)[] = [];

  function begin(block: TextBlock | ToolUseBlock): string {
    const index = begun++;
    head = deltaHead(index, block.is);
    open = block;
    return block.is === 'tool_use' ? beginCall(index, block) : beginText(index, block);
  }

  function beginText(index: number, { is, held }: TextBlock): string {
    return blockStart(index, EMPTY[is]) + textDelta(held);
  }

  function beginCall(index: number, call: ToolUseBlock): string {
    const { id, name, text, held } = call;
    call.held = '';
    call.stage = 'open';
    const block = { type: 'tool_use', id, name, input: {}, caller: DIRECT };
    return blockStart(index, block) + textDelta(text.add(held));
  }

  function textDelta(text: string): string {
    return text === '' ? '' : delta(head, text);
  }

  function end(): string {
    const block = open;
    open = undefined;
    if (!block) return '';
    const index = begun - 1;
    if (block.is === 'tool_use') {
      block.stage = 'closed';
      return textDelta(block.text.end()) + blockStop(index);
    }
    const sign = block.is === 'thinking' ? delta(deltaHead(index, 'signature'), '') : '';
    return sign + blockStop(index);
  }

  function mayBegin(): boolean {
    return open?.is !== 'tool_use' || open.text.isWhole;
  }

  /** Writes the blocks that wait, as far as possible. */
  function writeWaiting(): string {
    let events = '';
    while (waiting.length > 0 && mayBegin()) {
      const next = waiting.shift();
      if (next) events += end() + begin(next);
    }
    return events;
  }

  return {
    get begun() {
      return begun;
    },
    addText(kind, text) {
      if (open?.is === kind) return textDelta(text);
      if (mayBegin()) return end() + begin({ is: kind, held: text });
      const last = waiting.at(-1);
      if (last?.is === kind) last.held += text;
      else waiting.push({ is: kind, held: text });
      return '';
    },
    beginCall: (id, name, as) => ({
      is: 'tool_use',
      id,
      name,
      text: createArgumentScanner(as === 'unreadable' ? 'odd' : 'before'),
      held: '',
      stage: 'new',
    }),
    arguments(call, text) {
      if (call === open) return textDelta(call.text.add(text)) + writeWaiting();
      // The call was complete; the scanner records that there is more.
      if (call.stage === 'closed') return call.text.add(text);
      call.held += text;
      if (mayBegin()) return end() + begin(call);
      if (call.stage === 'new') waiting.push(call);
      call.stage = 'waiting';
      return '';
    },
    whole(block) {
      const index = begun++;
      return blockStart(index, block) + blockStop(index);
    },
    close: (kind) => (open?.is === kind ? end() : ''),
    settle() {
      let events = end();
      for (const block of waiting.splice(0)) events += begin(block) + end();
      return events;
    },
  };
}

/**
 * Scans the streamed arguments of a tool call: which text may be sent at once, and whether the JSON
 * object is complete. Clients concatenate the text and parse it as one object, so text after the
 * object is dropped, and text that is not an object is held and wrapped into one at the end.
 */
interface ArgumentScanner {
  /** Returns the text that may be sent. */
  add(text: string): string;
  /** Returns the rest at the end. */
  end(): string;
  readonly isWhole: boolean;
  /** Whether there was text after the object. */
  readonly hasMore: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d]);
const VISIBLE = /\S/;

function createArgumentScanner(first: 'before' | 'odd'): ArgumentScanner {
  let stage: 'before' | 'object' | 'whole' | 'odd' = first;
  let depth = 0;
  let place: 'outside' | 'string' | 'escape' = 'outside';
  let odd = '';
  let hasMore = false;

  /** Returns where the object ends; the length of the text if it does not. */
  function scan(text: string): number {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (place === 'escape') place = 'string';
      else if (place === 'string') {
        if (code === BACKSLASH) place = 'escape';
        else if (code === QUOTE) place = 'outside';
      } else if (code === QUOTE) place = 'string';
      else if (OPENING.has(code)) depth += 1;
      else if (CLOSING.has(code) && --depth === 0) {
        stage = 'whole';
        return at + 1;
      }
    }
    return text.length;
  }

  return {
    add(text) {
      if (stage === 'before') {
        const first = text.search(VISIBLE);
        if (first === -1) return '';
        stage = text[first] === '{' ? 'object' : 'odd';
      }
      if (stage === 'odd') {
        odd += text;
        return '';
      }
      const end = stage === 'whole' ? 0 : scan(text);
      hasMore ||= end < text.length && VISIBLE.test(text.slice(end));
      return end === text.length ? text : text.slice(0, end);
    },
    end() {
      if (stage !== 'odd') return '';
      stage = 'whole';
      return JSON.stringify(toToolInput(odd));
    },
    get isWhole() {
      return stage === 'whole';
    },
    get hasMore() {
      return hasMore;
    },
  };
}

/** An SSE event. */
export function sseEvent(type: string, data: Readonly<Record<string, unknown>>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

export const PING = sseEvent('ping', {});
export const MESSAGE_STOP = sseEvent('message_stop', {});

function blockStart(index: number, block: AnthropicBlock): string {
  return sseEvent('content_block_start', { index, content_block: block });
}

function blockStop(index: number): string {
  return `event: content_block_stop\ndata: {"type":"content_block_stop","index":${index}}\n\n`;
}

/** The type and text member of each kind of delta. */
const DELTAS = {
  text: ['text_delta', 'text'],
  thinking: ['thinking_delta', 'thinking'],
  signature: ['signature_delta', 'signature'],
  tool_use: ['input_json_delta', 'partial_json'],
} as const;

/** The part of a delta event before its text, the same for all deltas of a block. */
function deltaHead(index: number, kind: keyof typeof DELTAS): string {
  const [type, member] = DELTAS[kind];
  return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${member}":`;
}

function delta(head: string, text: string): string {
  return `${head}${JSON.stringify(text)}}}\n\n`;
}
