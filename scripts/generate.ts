import { writeFileSync } from 'node:fs';
import { generated } from './generated.ts';

for (const { path, content } of await generated()) writeFileSync(path, content);
