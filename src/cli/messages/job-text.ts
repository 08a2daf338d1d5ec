import { harmless } from '../terminal-text.ts';

interface JobFacts {
  readonly id: string;
  readonly status: string;
  readonly tool?: string;
  readonly note?: string;
  readonly asks?: readonly { readonly name: string; readonly message?: string }[];
}

/** How a job stands that has no answer, with the commands that one can type; `text` is for what is no job. */
export function jobText(envelope: unknown, text: string): string {
  const { job, content } = (envelope ?? {}) as {
    readonly job?: unknown;
    readonly content?: unknown;
  };
  const facts = job as Partial<JobFacts> | undefined;
  if (typeof facts?.id !== 'string' || typeof facts.status !== 'string') return text;
  const sentence = stateText({ ...facts, id: facts.id, status: facts.status });
  if (sentence === undefined) return text;
  const written = typeof content === 'string' && content !== '' ? content : undefined;
  return harmless(
    written === undefined ? sentence : `${sentence}\n\nWhat it had written by then:\n${written}`,
  );
}

function stateText({
  id,
  status,
  tool = 'The call',
  note,
  asks = [],
}: JobFacts): string | undefined {
  const doing = typeof note === 'string' && note !== '' ? ` (${note})` : '';
  const onward = `Get the answer with: exai jobs result ${id} --wait, or stop it with: exai jobs cancel ${id}`;
  switch (status) {
    case 'queued':
      return `${tool} waits for its turn as job ${id}${doing}. ${onward}`;
    case 'running':
      return `${tool} still runs as job ${id}${doing}. ${onward}`;
    case 'cancelled':
      return `Job ${id} was cancelled.`;
    case 'input_required': {
      const known = Array.isArray(asks)
        ? asks.filter((each) => typeof each?.name === 'string')
        : [];
      const wants = known.map(({ name, message }) =>
        message === undefined ? name : `"${message}"`,
      );
      const what = wants.length === 0 ? '' : `: ${wants.join('; ')}`;
      return (
        `${tool} (job ${id}) waits for an answer that it cannot be given here${what}. ` +
        `Look at the job from a client that can be asked (one with MCP elicitation), or stop it with: exai jobs cancel ${id}`
      );
    }
    default:
      return undefined;
  }
}
