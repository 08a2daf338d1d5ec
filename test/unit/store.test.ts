import { inject } from 'vitest';
import { storeCases } from '../cases/store-case.ts';

storeCases('sqlite');
// Only a developer's machine without PostgreSQL has none; test/postgres.ts refuses that in CI.
if (inject('postgresUrl') !== '') storeCases('postgres');
