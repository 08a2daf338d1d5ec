import { diagnose } from '#app/doctor/doctor.ts';
import { keepAlive, system } from '#app/system.ts';
import { ERROR_POLICY } from '#core/errors/error-class.ts';
import { defineCommand } from '../command.ts';
import { CONFIG_OPTION, configSourcesFor } from '../config-option.ts';
import { checkRow } from '../format/check-row.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatColumns } from '../format/layout.ts';
import { printJson } from '../io.ts';

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
          checks.map((check) => checkRow(check, io)),
          '',
        ),
      );
      const [shown, after] = [summary, next].map(escapeControls) as [string, string];
      io.stdout.write(`\n${shown}\nNext: ${io.paint('bold', after)}\n`);
    }
    const broken = checks.some(({ status }) => status === 'fail');
    return broken || answers === 'no' ? ERROR_POLICY.not_configured.exit : 0;
  },
});
