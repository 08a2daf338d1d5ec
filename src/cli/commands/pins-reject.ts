import { defineCommand } from '../command.ts';
import { DECISION_ARGUMENTS, decidePins } from '../pins/pins.ts';

export const command = defineCommand({
  name: 'pins reject',
  summary: 'Reject changed or added definitions of a server',
  about:
    'A rejected definition is no longer reported as waiting. The tool is callable again when the server lists the approved definition, and waits again when it lists another one.',
  ...DECISION_ARGUMENTS,
  run: (args, io) => decidePins('rejected', args, io),
});
