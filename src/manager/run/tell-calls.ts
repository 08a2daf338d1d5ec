import type { AskListener, ToolCallPiece } from '#core/ask.ts';
import type { RunState } from './run-state.ts';

/** Clients read what they were given as JSON, and nothing is none. */
const NO_ARGUMENTS = '{}';

/** Tells the tool calls of one attempt as they come. */
export interface CallTeller {
  take(piece: ToolCallPiece): void;
  /** The answer is whole: calls that want no arguments are told, too. */
  end(): void;
}

/**
 * A name alone is kept back until its arguments begin: what nobody has heard can be asked for anew, and between a name and its
 * arguments models often fail.
 */
export function createCallTeller(
  state: RunState,
  { onToolCall }: Pick<AskListener, 'onToolCall'>,
): CallTeller {
  const named = new Map<number, ToolCallPiece>();

  function tell(piece: ToolCallPiece): void {
    state.hasToldCalls = true;
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
      // From here on nothing can be taken back, and clients expect them in their order.
      for (const [other, kept] of named) {
        if (other >= index) continue;
        named.delete(other);
        tell(kept);
      }
      named.delete(index);
      tell(all);
    },
    end() {
      for (const piece of named.values()) tell({ ...piece, arguments: NO_ARGUMENTS });
      named.clear();
    },
  };
}
