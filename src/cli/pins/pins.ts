import {
  PIN_METHODS,
  type PinDecisions,
  type PinDiff,
  type PinSummary,
  type ShownFinding,
} from '#core/hub/pin-admin.ts';
import type { Io } from '../io.ts';
import { printRawJson } from '../io.ts';
import { runWithDaemon } from '../run-with-daemon.ts';

interface PinResults {
  list: { readonly servers: readonly PinSummary[] };
  diff: { readonly diffs: readonly PinDiff[] };
  decide: PinDecisions;
}

/** Calls a method of the daemon, which is started if needed. */
export function callPins<Method extends keyof PinResults>(
  io: Pick<Io, 'env' | 'stderr'>,
  method: Method,
  params: object = {},
): Promise<PinResults[Method]> {
  return runWithDaemon(io, ({ request }) => request(PIN_METHODS[method], params)) as Promise<
    PinResults[Method]
  >;
}

export function findingLine({ severity, text, excerpt }: ShownFinding, { paint }: Io): string {
  const color = severity === 'high' ? 'red' : 'yellow';
  const shown = excerpt === '' ? '' : `: ${excerpt}`;
  return `${paint(color, severity)} ${text.replace(/\.$/, '')}${shown}`;
}

/** The arguments of `exai pins approve` and `exai pins reject`. */
export const DECISION_ARGUMENTS = {
  positionals: [{ name: 'server', need: 'required', help: 'As exai pins list tells it' }],
  rest: { name: 'tool', help: 'Tools of the server; default: all that wait' },
  options: {
    hash: {
      type: 'string',
      value: 'HASH',
      help: 'As exai pins diff shows it; a later definition is refused',
    },
  },
} as const;

interface DecisionArguments {
  readonly options: { readonly hash?: string; readonly json?: true };
  readonly positionals: Readonly<Record<string, string>>;
  readonly rest?: readonly string[];
}

export async function decidePins(
  decision: PinDecisions['decision'],
  { options, positionals, rest: tools = [] }: DecisionArguments,
  io: Io,
): Promise<void> {
  const { server = '' } = positionals;
  const { hash } = options;
  const answer = await callPins(io, 'decide', { server, tools, decision, ...(hash && { hash }) });
  if (options.json) return printRawJson(io, answer);
  const { decided, left } = answer;
  const verb = decision === 'approved' ? 'Approved' : 'Rejected';
  io.stdout.write(
    decided.length === 0
      ? 'Nothing was decided.\n'
      : `${verb} of ${server}: ${decided.join(', ')}.\n`,
  );
  if (left.length > 0) {
    io.stdout.write(
      `Not approved, because the scanner found something in them: ${left.join(', ')}.\n` +
        `Read them with exai pins diff ${server}, then name the tools to approve.\n`,
    );
  }
}
