import { expect } from 'vitest';
import { checkPages } from '../../scripts/docs/check-pages.ts';
import { listPages } from '../../scripts/docs/list-pages.ts';
import { verifies } from '../verifies.ts';

verifies(
  'docs:links',
  'no page has a dead link, is linked from nowhere or has a phrase to avoid',
  () => {
    const paths = listPages();
    expect(paths).toContain('docs/getting-started.md');
    expect(checkPages(paths)).toEqual([]);
  },
);
