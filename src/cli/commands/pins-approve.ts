import { defineCommand } from '../command.ts';
import { DECISION_ARGUMENTS, decidePins } from '../pins/pins.ts';

export const command = defineCommand({
  name: 'pins approve',
  summary: 'Approve changed or added definitions of a server',
  about:
    'Without tools, all that wait are approved, except those in which the scanner found something: name them.\n' +
    '  exai pins approve github create_issue --hash 3f9a1c20',
  ...DECISION_ARGUMENTS,
  run: (args, io) => decidePins('approved', args, io),
});
