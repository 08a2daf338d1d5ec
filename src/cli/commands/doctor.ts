import type { Check } from '#app/doctor/check.ts';
import { diagnose } from '#app/doctor/doctor.ts';
import { keepAlive, system } from '#app/system.ts';
import { ERROR_POLICY } from '#core/errors/error-class.ts';
import { defineCommand } from '../command.ts';
import { CONFIG_OPTION, configSourcesFor } from '../config-option.ts';
import type { Colour } from '../format/colors.ts';
import { formatColumns } from '../format/layout.ts';
import { printJson, type Io } from '../io.ts';

const MARKS: Record<Check['status'], { utf8: string; ascii: string; colour: Colour }> = {
  ok: { utf8: '✓', ascii: 'ok', colour: 'green' },
  warn: { utf8: '!', ascii: '!', colour: 'yellow' },
  fail: { utf8: '✗', ascii: 'x', colour: 'red' },
  off: { utf8: '–', ascii: '-', colour: 'dim' },
};

export const command = defineCommand({
  name: 'doctor',
  summary: 'Check what works, and how to fix what does not',
  about:
    'Changes nothing. Asks each provider that is set up whether it accepts its key, and waits 3 seconds ' +
    'at most. Exits with 0 when a model can answer and nothing is broken, else with 22.',
  options: CONFIG_OPTION,
  async run({ options }, io) {
    const diagnosis = await keepAlive(diagnose(configSourcesFor(options, io), system));
    const { checks, summary, next, answers } = diagnosis;
    if (options.json) printJson(io, diagnosis);
    else {
      io.stdout.write(
        formatColumns(
          checks.map((check) => row(check, io)),
          '',
        ),
      );
      io.stdout.write(`\n${summary}\nNext: ${io.paint('bold', next)}\n`);
    }
    const broken = checks.some(({ status }) => status === 'fail');
    return broken || answers === 'no' ? ERROR_POLICY.not_configured.exit : 0;
  },
});

function row({ status, title, detail, fix }: Check, { charset, paint }: Io): string[] {
  const { utf8, ascii, colour } = MARKS[status];
  const mark = paint(colour, charset === 'utf-8' ? utf8 : ascii);
  const arrow = charset === 'utf-8' ? '→' : '->';
  const help = fix === undefined ? '' : paint('dim', ` ${arrow} ${fix}`);
  // Indents further lines of a long detail beyond the marks.
  return [mark, title, `${indented(detail)}${help}`];
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n     ');
}
