import { expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { createFakeClock } from '../../test/fake-clock.ts';
import { createTestCalls, probeTool, settled } from './calls.fixture.ts';
import { createMetadata } from './request-metadata.ts';

const OURS = {
  timestamp_utc: '2025-10-10T00:05:49.591Z',
  timestamp_local: '2025-10-10 11:05:49 AEDT',
  timezone: 'Australia/Melbourne',
  geo_location: 'Melbourne, Australia',
};

verifies(
  'calls:metadata',
  'every call has the time and the place by the daemon’s clock, and they are stored with it',
  async () => {
    const probe = probeTool();
    const { start, store, clock } = createTestCalls([probe.tool]);
    const running = start('probe');
    await settled();
    expect(probe.run().context.metadata).toEqual(OURS);
    clock.advance(20);
    probe.run().answer();
    await running.answer;
    expect(store.noted[0]?.metadata).toEqual(OURS);
  },
);

verifies(
  'calls:metadata',
  'what a client says of itself is stored beside, overrides nothing and is no argument',
  async () => {
    const probe = probeTool();
    const { start, store } = createTestCalls([probe.tool]);
    const theirs = { timestamp_utc: '1999-01-01T00:00:00Z', timezone: 'Europe/Vienna' };
    const running = start('probe', { topic: 'x', _request_metadata: theirs });
    await settled();
    expect(probe.run().args).toEqual({ topic: 'x' });
    expect(probe.run().context.metadata).toEqual(OURS);
    probe.run().answer();
    await running.answer;
    expect(store.noted[0]).toMatchObject({ metadata: OURS, clientMetadata: theirs });
  },
);

test.each([
  [7, '_request_metadata'],
  [[], '_request_metadata'],
  [{ timestamp_utc: 'yesterday' }, '_request_metadata.timestamp_utc'],
  [{ timezone: 'x'.repeat(65) }, '_request_metadata.timezone'],
  [{ geo_location: { lat: 1 } }, '_request_metadata.geo_location'],
  [{ mood: 'good' }, '_request_metadata.mood'],
])('the client’s %j is refused by its field', async (given, field) => {
  const { answer } = createTestCalls([probeTool().tool]);
  const { error } = await answer('probe', { _request_metadata: given });
  expect(error).toMatchObject({ class: 'validation', field });
  expect(error?.fix).toContain('Leave out _request_metadata.');
});

test.each([
  ['UTC', '', undefined],
  ['Etc/GMT+3', '', undefined],
  ['America/Argentina/Buenos_Aires', '', 'Buenos Aires, America'],
  ['UTC', 'The office', 'The office'],
])('in the zone %s, called %j, the place is %j', (timezone, location, place) => {
  const metadata = createMetadata({ timezone, location }, createFakeClock());
  expect(metadata().geo_location).toBe(place);
});
