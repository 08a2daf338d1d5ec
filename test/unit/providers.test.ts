import { providerCase } from '../cases/provider-case.ts';
import { localCase } from '../cases/provider-local.ts';
import { SUBJECTS } from '../cases/provider-subjects.ts';

for (const subject of SUBJECTS) providerCase(subject);
localCase();
