import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { createMetrics } from './metrics.ts';
import { createRedactor } from '../redaction/redact.ts';

const DROPPED = [
  '# HELP exai_metrics_dropped_series_total Updates dropped because their metric has as many label sets as it may.',
  '# TYPE exai_metrics_dropped_series_total counter',
];

verifies(
  'metrics:prometheus',
  'counters, gauges and histograms are written in the text format',
  () => {
    const metrics = createMetrics();
    const calls = metrics.counter('exai_calls_total', 'Calls by tool.\nAnd \\ outcome.');
    calls.add({ tool: 'chat', outcome: 'ok' });
    calls.add({ outcome: 'ok', tool: 'chat' }, 2);
    calls.add({ tool: 'a"b\\c\nd', outcome: 'ok' });
    const seconds = metrics.histogram('exai_call_seconds', 'Seconds.', [1, 0.1]);
    for (const value of [0.1, 0.5, 7]) seconds.observe(value, { tool: 'chat' });
    seconds.observe(0.05);
    metrics.gauge('exai_up', 'Is it up.', () => 1);
    expect(metrics.text().split('\n')).toEqual([
      '# HELP exai_call_seconds Seconds.',
      '# TYPE exai_call_seconds histogram',
      'exai_call_seconds_bucket{le="0.1"} 1',
      'exai_call_seconds_bucket{le="1"} 1',
      'exai_call_seconds_bucket{le="+Inf"} 1',
      'exai_call_seconds_sum 0.05',
      'exai_call_seconds_count 1',
      'exai_call_seconds_bucket{tool="chat",le="0.1"} 1',
      'exai_call_seconds_bucket{tool="chat",le="1"} 2',
      'exai_call_seconds_bucket{tool="chat",le="+Inf"} 3',
      'exai_call_seconds_sum{tool="chat"} 7.6',
      'exai_call_seconds_count{tool="chat"} 3',
      '# HELP exai_calls_total Calls by tool.\\nAnd \\\\ outcome.',
      '# TYPE exai_calls_total counter',
      'exai_calls_total{outcome="ok",tool="a\\"b\\\\c\\nd"} 1',
      'exai_calls_total{outcome="ok",tool="chat"} 3',
      ...DROPPED,
      '# HELP exai_up Is it up.',
      '# TYPE exai_up gauge',
      'exai_up 1',
      '',
    ]);
  },
);

verifies(
  'metrics:prometheus',
  'numbers beyond the finite are written as Prometheus reads them',
  () => {
    const metrics = createMetrics();
    metrics.gauge('a', '', () => Infinity);
    metrics.gauge('b', '', () => -Infinity);
    metrics.gauge('c', '', () => NaN);
    metrics.gauge('d', '', () => 1e21);
    const samples = metrics.text().match(/^[a-d] .*$/gm);
    expect(samples).toEqual(['a +Inf', 'b -Inf', 'c NaN', 'd 1e+21']);
  },
);

test('the order does not depend on who came first', () => {
  const names = ['b_total', 'a_total', 'c_total'];
  const text = (order: string[]) => {
    const metrics = createMetrics();
    for (const name of order) for (const x of order) metrics.counter(name, 'h').add({ x });
    return metrics.text();
  };
  expect(text(names)).toBe(text(names.toReversed()));
});

test('asking twice gives the same metric, and a gauge is read by its latest reader', () => {
  const metrics = createMetrics();
  expect(metrics.counter('a_total', 'x')).toBe(metrics.counter('a_total', 'y'));
  expect(metrics.histogram('b', 'x')).toBe(metrics.histogram('b', 'x'));
  metrics.gauge('c', 'x', () => 1);
  metrics.gauge('c', 'x', () => 2);
  expect(metrics.text()).toContain('\nc 2\n');
});

test('a wrong, taken or clashing name is refused when the metric is made', () => {
  const metrics = createMetrics();
  metrics.histogram('exai_call_seconds', 'x');
  for (const name of ['', '1a', 'a-b', 'a b', 'é', 'a\n']) {
    expect(() => metrics.counter(name, 'x')).toThrow(RangeError);
  }
  expect(() => metrics.counter('exai_call_seconds', 'x')).toThrow('is a histogram');
  expect(() => metrics.counter('exai_call_seconds_count', 'x')).toThrow('would both write');
});

test('label sets past the limit are dropped and counted, those within it still count', () => {
  const metrics = createMetrics({ maxSeries: 2 });
  const calls = metrics.counter('a_total', 'x');
  for (const who of ['1', '2', '3', '4', '1']) calls.add({ who });
  expect(metrics.text().match(/^[^#].*$/gm)).toEqual([
    'a_total{who="1"} 2',
    'a_total{who="2"} 1',
    'exai_metrics_dropped_series_total{metric="a_total"} 2',
  ]);
});

test('labels are written without secrets, and each spelling is looked at once', () => {
  let looked = 0;
  const redactor = createRedactor(['my own secret']);
  const redact = (value: unknown) => {
    looked++;
    return redactor(value);
  };
  const metrics = createMetrics({ redact });
  const calls = metrics.counter('a_total', 'x');
  for (let n = 0; n < 5; n++) calls.add({ path: '/x?token=abcdef', who: 'my own secret' });
  metrics.histogram('b', 'x', [1]).observe(1, { api_key: 'hunter2' });
  expect(metrics.text().match(/^(?:a_total|b_count).*$/gm)).toEqual([
    'a_total{path="/x?token=[redacted]",who="[redacted]"} 5',
    'b_count{api_key="[redacted]"} 1',
  ]);
  expect(looked).toBe(2);
});

test('labels that read alike when joined stay apart, and odd label names are made valid', () => {
  const metrics = createMetrics();
  const calls = metrics.counter('a_total', 'x');
  calls.add({ a: '1\nb\n1\n2' });
  calls.add({ a: '1', b: '2' });
  calls.add({ 'x-y': '', le: '1', __a: '2', '9': '3' });
  expect(metrics.text().match(/^a_total.*$/gm)).toEqual([
    'a_total{a="1",b="2"} 1',
    String.raw`a_total{a="1\nb\n1\n2"} 1`,
    'a_total{label_9="3",label___a="2",label_le="1",x_y=""} 1',
  ]);
});

test('what is no number, or would let a counter fall, is not counted', () => {
  const metrics = createMetrics();
  const calls = metrics.counter('a_total', 'x');
  for (const by of [-1, NaN, Infinity, 0.5]) calls.add({}, by);
  const seconds = metrics.histogram('b', 'x', [1, Infinity]);
  for (const value of [NaN, Infinity, 1]) seconds.observe(value);
  metrics.gauge('c', 'x', () => {
    throw new Error('no reading');
  });
  expect(metrics.text().match(/^[abc].*$/gm)).toEqual([
    'a_total 0.5',
    'b_bucket{le="1"} 1',
    'b_bucket{le="+Inf"} 1',
    'b_sum 1',
    'b_count 1',
  ]);
});

verifies('metrics:aliases', 'a renamed metric has the same samples under its old name', () => {
  const metrics = createMetrics();
  metrics.counter('exai_ws_dropped_total', 'Dropped.').add({ class: 'timeout' }, 2);
  metrics.gauge('exai_ws_pending_handshakes', 'Pending.', () => 3);
  const text = metrics.text();
  expect(text).toContain('exai_ws_dropped_total{class="timeout"} 2\n');
  expect(text).toContain(
    '# TYPE exai_ws_cut_total counter\nexai_ws_cut_total{class="timeout"} 2\n',
  );
  expect(text).toContain(
    '# HELP exai_ws_newcomers Renamed in 0.2.0: use exai_ws_pending_handshakes.',
  );
  expect(text).toMatch(/^exai_ws_newcomers 3$/m);
  expect(() => metrics.counter('exai_ws_cut_total', 'Taken.')).toThrow(RangeError);
});
