import { createArgumentText, type ArgumentText } from './argument-text.ts';
import type { ContentBlock } from './content-blocks.ts';
import { blockStart, blockStop, delta, deltaHead } from './stream-events.ts';

/** A call that is being told. */
export interface CallBlock {
  readonly is: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly text: ArgumentText;
  /** What came while it could not be told. */
  held: string;
  stage: 'new' | 'waiting' | 'open' | 'closed';
}

type WordKind = 'text' | 'thinking';

interface WordBlock {
  readonly is: WordKind;
  held: string;
}

/**
 * The blocks of one answer, one after the other: none begins before the one before it has ended, while vendors may tell several calls
 * in turns. What comes for another block waits until the call that is open is complete, or until the end. Each function gives the
 * events that say it, or nothing.
 */
export interface BlockRow {
  /** How many have begun. */
  readonly begun: number;
  words(kind: WordKind, text: string): string;
  beginCall(id: string, name: string): CallBlock;
  arguments(call: CallBlock, text: string): string;
  /** A block that is told at once; everything before it must have ended. */
  whole(block: ContentBlock): string;
  /** What is open ends, if it is of this kind. */
  close(kind: WordKind): string;
  /** Everything that waits is told, and everything ends. */
  settle(): string;
}

const EMPTY: Record<WordKind, ContentBlock> = {
  text: { type: 'text', text: '' },
  thinking: { type: 'thinking', thinking: '', signature: '' },
};

export function createBlockRow(): BlockRow {
  let begun = 0;
  let head = '';
  let open: WordBlock | CallBlock | undefined;
  const waiting: (WordBlock | CallBlock)[] = [];

  function begin(block: WordBlock | CallBlock): string {
    const index = begun++;
    head = deltaHead(index, block.is);
    open = block;
    return block.is === 'tool_use' ? beginCall(index, block) : beginWords(index, block);
  }

  function beginWords(index: number, { is, held }: WordBlock): string {
    return blockStart(index, EMPTY[is]) + said(held);
  }

  function beginCall(index: number, call: CallBlock): string {
    const { id, name, text, held } = call;
    call.held = '';
    call.stage = 'open';
    return blockStart(index, { type: 'tool_use', id, name, input: {} }) + said(text.add(held));
  }

  function said(text: string): string {
    return text === '' ? '' : delta(head, text);
  }

  function end(): string {
    const block = open;
    open = undefined;
    if (!block) return '';
    const index = begun - 1;
    if (block.is === 'tool_use') {
      block.stage = 'closed';
      return said(block.text.end()) + blockStop(index);
    }
    const sign = block.is === 'thinking' ? delta(deltaHead(index, 'signature'), '') : '';
    return sign + blockStop(index);
  }

  function mayBegin(): boolean {
    return open?.is !== 'tool_use' || open.text.isWhole;
  }

  /** Tells what waits, as far as it may be told. */
  function goOn(): string {
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
    words(kind, text) {
      if (open?.is === kind) return said(text);
      if (mayBegin()) return end() + begin({ is: kind, held: text });
      const last = waiting.at(-1);
      if (last?.is === kind) last.held += text;
      else waiting.push({ is: kind, held: text });
      return '';
    },
    beginCall: (id, name) => ({
      is: 'tool_use',
      id,
      name,
      text: createArgumentText(),
      held: '',
      stage: 'new',
    }),
    arguments(call, text) {
      if (call === open) return said(call.text.add(text)) + goOn();
      // It was complete: whatever comes now is no part of it, and is noted there.
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
