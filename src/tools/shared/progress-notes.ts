import type { AskListener } from '#core/llm/ask.ts';

/** Reports which model is asked, when it begins to think, and retries and fallbacks. */
export function progressNotes(
  report: (note: string) => void,
): Pick<AskListener, 'onAsked' | 'onReasoning' | 'onNote'> {
  let asked = '';
  let thinking = '';
  return {
    onAsked({ model, after }) {
      asked = model;
      thinking = '';
      // A fallback has been reported with its cause.
      if (after === undefined) report(`asking ${model}`);
    },
    onReasoning() {
      if (thinking === asked) return;
      thinking = asked;
      report(`${asked} is thinking`);
    },
    onNote: report,
  };
}
