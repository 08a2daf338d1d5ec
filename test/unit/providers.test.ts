import { providerCase } from '../cases/provider-case.ts';
import { extractiveCase } from '../cases/provider-extractive.ts';
import { SUBJECTS } from '../cases/provider-subjects.ts';

for (const subject of SUBJECTS) providerCase(subject);
extractiveCase();
