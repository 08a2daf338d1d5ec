import type { Asked } from '#core/answer-piece.ts';
import type { AskListener, AskReport, ToolCallPiece } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';
import type { Log } from '#core/telemetry.ts';

/** Whoever listens and throws harms nobody but themselves: the answer goes on, and the log says it once. */
export function safeListener(listener: AskListener, log: Log): AskListener {
  let isTold = false;
  const guarded =
    <T>(tell: (told: T) => void) =>
    (told: T) => {
      try {
        tell(told);
      } catch (thrown) {
        if (isTold) return;
        isTold = true;
        log.error('listener_failed', { error: CallError.from(thrown).toJSON(), cause: thrown });
      }
    };
  // Whether somebody hears the text decides how a broken answer is mended, so what is absent stays absent.
  return {
    ...(listener.onAsked && { onAsked: guarded((asked: Asked) => listener.onAsked?.(asked)) }),
    ...(listener.onToolCall && {
      onToolCall: guarded((piece: ToolCallPiece) => listener.onToolCall?.(piece)),
    }),
    ...(listener.onText && { onText: guarded((text: string) => listener.onText?.(text)) }),
    ...(listener.onReasoning && {
      onReasoning: guarded((text: string) => listener.onReasoning?.(text)),
    }),
    ...(listener.onNote && { onNote: guarded((note: string) => listener.onNote?.(note)) }),
    ...(listener.onReport && {
      onReport: guarded((report: AskReport) => listener.onReport?.(report)),
    }),
  };
}
