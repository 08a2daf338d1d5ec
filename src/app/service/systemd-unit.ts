import { ERROR_POLICY, type ErrorClass } from '#core/error-class.ts';
import { markNotes, seal } from './service-mark.ts';
import type { ServiceSpec } from './service-spec.ts';
import { quoteAssignment, quoteCommand } from './systemd-quote.ts';

export const UNIT = 'exai.service';

/**
 * Failures that the next start would meet, too. `conflict` is a daemon on this home that a client started: it serves everybody as
 * well, and starting again and again beside it would be of no use.
 */
const FINAL: readonly ErrorClass[] = [
  'bad_request',
  'validation',
  'permission',
  'conflict',
  'not_configured',
];

/** The text of the user's unit. */
export function writeUnit({ program, home, homeIs, stopWithinS }: ServiceSpec): string {
  const lines = [
    '# Written by `exai service install`, which writes over changes made here with --force alone.',
    ...markNotes(home).map((note) => `# ${note}`),
    '[Unit]',
    'Description=EX-AI, one local endpoint for AI clients',
    'StartLimitIntervalSec=300',
    'StartLimitBurst=5',
    '',
    '[Service]',
    `ExecStart=${quoteCommand(program)}`,
    ...(homeIs === 'told' ? [`Environment=${quoteAssignment('EXAI_HOME', home)}`] : []),
    'Restart=on-failure',
    'RestartSec=2',
    `RestartPreventExitStatus=${FINAL.map((each) => ERROR_POLICY[each].exit).join(' ')}`,
    '# The daemon finishes its calls first; what it started ends with it, not before.',
    'KillMode=mixed',
    `TimeoutStopSec=${stopWithinS}`,
    '# A core dump would hold keys.',
    'LimitCORE=0',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ];
  return seal(lines.join('\n'));
}
