import {
  ACCESS_METHODS,
  type ClientCoverage,
  type CoverageRequest,
  type AccessExplanation,
} from '#core/auth/access-admin.ts';
import { ERROR_POLICY } from '#core/errors/error-class.ts';
import { parseCallArgs } from '../call-args.ts';
import { defineCommand } from '../command.ts';
import type { Colour } from '../format/colors.ts';
import { describeCoverage, describeScopeLimits } from '../format/describe-coverage.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { printJson, type Io } from '../io.ts';
import { runWithDaemon } from '../run-with-daemon.ts';

const VERDICTS: Record<AccessExplanation['verdict'], { words: string; colour: Colour }> = {
  allow: { words: 'may use', colour: 'green' },
  read_only: { words: 'may read with', colour: 'green' },
  ask: { words: 'may use, after asking its user,', colour: 'yellow' },
  deny: { words: 'may not use', colour: 'red' },
};

const DENIED = ERROR_POLICY.permission.exit;
const UNKNOWN = ERROR_POLICY.not_found.exit;

export const command = defineCommand({
  name: 'access explain',
  summary: 'Show what a client or an agent may use, and why',
  about:
    'Without a tool it says how many tools the client may use, and which of them spend money. ' +
    `Exits with 0 when it may, with ${DENIED} when it may not, and with ${UNKNOWN} when there is no such tool or ` +
    'client.',
  positionals: [
    {
      name: 'tool',
      need: 'optional',
      help: 'Its name, as exai tools lists it; without one, all are summed up',
    },
  ],
  options: {
    client: {
      type: 'string',
      value: 'NAME',
      help: 'A client of exai access list (default: you)',
    },
    agent: {
      type: 'string',
      value: 'NAME',
      help: 'An agent that works for the client, such as main',
    },
    args: {
      type: 'string',
      value: 'JSON',
      help: 'Arguments of the call, for rows that depend on them',
    },
  },
  async run({ options, positionals }, io) {
    const { client, agent } = options;
    const args = options.args === undefined ? undefined : parseCallArgs(options.args, '--args');
    const { tool } = positionals;
    if (tool === undefined) return summarise({ client, agent }, options.json ? 'json' : 'text', io);
    const params = { tool, client, agent, args };
    const explanation = (await runWithDaemon(io, (daemon) =>
      daemon.request(ACCESS_METHODS.explain, params),
    )) as AccessExplanation;
    if (options.json) {
      printJson(io, explanation);
      return exitOf(explanation);
    }
    const { words, colour } = VERDICTS[explanation.verdict];
    const who = explanation.agent === undefined ? '' : `${explanation.agent} of `;
    const subject = escapeControls(`${who}${explanation.client}`);
    io.stdout.write(`${subject} ${io.paint(colour, words)} ${escapeControls(explanation.tool)}\n`);
    for (const reason of explanation.because) io.stdout.write(`  ${escapeControls(reason)}\n`);
    if (explanation.dependsOnArguments && args === undefined) {
      io.stdout.write('  It depends on the arguments: --args explains a call with those.\n');
    }
    if (explanation.asksModels !== undefined) {
      const cost = explanation.asksModels ? 'asks models and spends money' : 'asks no model';
      io.stdout.write(`  ${escapeControls(explanation.tool)} ${cost}.\n`);
    }
    return exitOf(explanation);
  },
});

async function summarise(
  request: CoverageRequest,
  format: 'text' | 'json',
  io: Io,
): Promise<number> {
  const found = (await runWithDaemon(io, (daemon) =>
    daemon.request(ACCESS_METHODS.coverage, { ...request }),
  )) as ClientCoverage;
  if (format === 'json') printJson(io, found);
  else {
    const { agent, client, rows = [], coverage } = found;
    const who = agent === undefined ? client : `${agent} of ${client}`;
    const limits = agent === undefined ? describeScopeLimits(client, coverage) : [];
    const words = [...rows, describeCoverage(who, coverage), ...limits];
    for (const each of words) io.stdout.write(`${escapeControls(each)}\n`);
  }
  return 0;
}

function exitOf({ verdict, toolIs }: AccessExplanation): number {
  if (toolIs === 'unknown') return UNKNOWN;
  return verdict === 'deny' ? DENIED : 0;
}
