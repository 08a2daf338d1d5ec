import { expect, test } from 'vitest';
import { createConcealing } from './conceal.ts';

test('where providers are is told to the owner alone', () => {
  const concealing = createConcealing([
    { title: 'Kimi', host: '10.0.0.1:80' },
    { title: 'GLM', host: '10.0.0.1:8080' },
    { title: 'Local' },
  ]);
  const said = '10.0.0.1:8080 refused the connection, 10.0.0.1:80 too.';
  expect(concealing('local')(said)).toBe(said);
  expect(concealing('laptop')(said)).toBe('GLM refused the connection, Kimi too.');
  const named = createConcealing([{ title: 'My server', host: 'api' }])('laptop');
  expect(named('API refused; a rapid capital.')).toBe('My server refused; a rapid capital.');
});
