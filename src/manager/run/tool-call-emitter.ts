import type { AskListener, ToolCallPiece } from '#core/llm/ask.ts';
import type { ToolCall } from '#core/llm/chat.ts';
import { repairArguments } from '#core/json/model-json.ts';
import type { RunState } from './run-state.ts';

/** Emits the tool calls of one attempt. */
export interface ToolCallEmitter {
  take(piece: ToolCallPiece): void;
  /**
   * The answer is complete: emits the rest. Arguments that are not a JSON object are marked as
   * unreadable, or passed as they are where the token limit cut them.
   */
  end(cut?: 'cut_by_limit'): void;
  /** The name of a call that is not emitted yet. */
  pendingName(): string | undefined;
  /** The emitted calls; undefined where they are emitted as they stream. */
  calls(): readonly ToolCall[] | undefined;
}

type CallListener = Pick<AskListener, 'onToolCall'>;

/** Clients parse the arguments as JSON, which an empty string is not. */
const NO_ARGUMENTS = '{}';

/** Long arguments are emitted in pieces of this size, because clients show them as they arrive. */
const PIECE_CHARS = 512;

interface HeldCall {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly pieces: string[];
}

/**
 * Holds the calls back until the answer is complete, so that a call that breaks off can be asked for
 * again without the client noticing. The calls before it are held, too: a second attempt may make
 * other calls.
 */
export function createWholeCallEmitter(
  state: RunState,
  { onToolCall }: CallListener,
): ToolCallEmitter {
  const held = new Map<number, HeldCall>();
  const complete: ToolCall[] = [];

  function emit({ index, id, name }: HeldCall, text: string, isUnreadable: boolean): void {
    complete.push({ id, name, arguments: text });
    if (!onToolCall) return;
    state.hasEmittedToolCalls = true;
    const mark = isUnreadable ? ({ isUnreadable } as const) : {};
    const [first = '', ...rest] = inPieces(text);
    onToolCall({ type: 'tool_call', index, id, name, arguments: first, ...mark });
    for (const piece of rest) onToolCall({ type: 'tool_call', index, arguments: piece });
  }

  return {
    take({ index, id = '', name = '', arguments: text }) {
      const call = held.get(index);
      if (call) call.pieces.push(text);
      else held.set(index, { index, id, name, pieces: [text] });
    },
    end(cut) {
      for (const call of held.values()) {
        const text = call.pieces.join('');
        const repaired = repairArguments(text);
        emit(call, repaired ?? text, repaired === undefined && cut === undefined);
      }
      held.clear();
    },
    pendingName: () => held.values().next().value?.name,
    calls: () => complete,
  };
}

function inPieces(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = at + PIECE_CHARS;
    const isPair = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    const next = Math.min(text.length, isPair ? end + 1 : end);
    pieces.push(text.slice(at, next));
    at = next;
  }
  return pieces;
}

/**
 * Emits calls as they stream, for clients that prefer that: a call of which a part was emitted
 * cannot be asked for again. A tool name is held back until its arguments begin, because models
 * often fail in between.
 */
export function createStreamingCallEmitter(
  state: RunState,
  { onToolCall }: CallListener,
): ToolCallEmitter {
  const named = new Map<number, ToolCallPiece>();

  function emit(piece: ToolCallPiece): void {
    state.hasEmittedToolCalls = true;
    onToolCall?.(piece);
  }

  return {
    take(piece) {
      if (!onToolCall) return;
      const { index } = piece;
      const first = named.get(index);
      const all = first ? { ...first, arguments: first.arguments + piece.arguments } : piece;
      if (all.arguments === '') {
        named.set(index, all);
        return;
      }
      // Emitted calls cannot be taken back, and clients expect them in order.
      for (const [other, kept] of named) {
        if (other >= index) continue;
        named.delete(other);
        emit(kept);
      }
      named.delete(index);
      emit(all);
    },
    end() {
      for (const piece of named.values()) emit({ ...piece, arguments: NO_ARGUMENTS });
      named.clear();
    },
    pendingName: () => named.values().next().value?.name,
    calls: () => undefined,
  };
}
