/** Texts of the kinds that models write. */
export const SEAM_TEXTS = {
  English:
    'A circuit breaker stands between a client and a service that may fail. It counts failures, and when too ' +
    'many of them come within a short time, it opens: every request is refused at once, so that neither side ' +
    'waits for something that cannot happen. After a cool-down one probe is let through.\n\nIf it succeeds, the ' +
    "breaker closes again; if it doesn't, the next cool-down is longer than the last, up to 3.5 minutes.",
  German:
    'Ein Schutzschalter steht zwischen einem Kunden und einem Dienst, der ausfallen kann. Er zählt die Fehler, ' +
    'und wenn zu viele in kurzer Zeit kommen, öffnet er sich: Jede Anfrage wird sofort abgelehnt, damit keine ' +
    'Seite auf etwas wartet, das nicht geschehen kann. Nach einer Pause darf die erste Anfrage wieder durch.',
  Chinese:
    '熔断器在连续失败之后打开，冷却一段时间，然后只放行一个探测请求；如果成功就重新关闭，否则再等更久。每个模型都有一个，账户也有一个。' +
    '请注意：限额是设置的一部分，可以用 doctor 命令查看，每天零点重新计算。',
  'Markdown table':
    'Here are the prices:\n\n| model | input | output |\n|---|---|---|\n' +
    Array.from(
      { length: 8 },
      (_, at) => `| model ${at} | ${at * 17} tokens | ${at % 2 === 0 ? 'yes' : 'no'} |\n`,
    ).join(''),
  'a list':
    'The steps are:\n\n1. Open the settings.\n2. Choose a model, such as a small one.\n3. Save it.\n\n' +
    '- The key is kept in a file\n- The port is 8765\n- The log is written every day\n- **Note:** it is not sent\n',
  code:
    '```ts\nexport function add(a: number, b: number): number {\n  if (a === 0) {\n    return b;\n  }\n  for (const ' +
    'item of items) {\n    total += item.price * item.count;\n  }\n  return add(a - 1, b + 1);\n}\n```\n',
  'JSON-like':
    '{\n  "name": "breaker",\n  "limits": { "kimi": 20, "glm": 10 },\n  "models": ["kimi-k3", "glm-5.3"],\n' +
    '  "open": false,\n  "coolOffMs": 10000,\n  "note": "opens after failures"\n}\n',
  'one sentence eight times': 'The daemon checks each request, and then it asks a model. '.repeat(
    8,
  ),
  'equal rows': '| 0 | 0 | 0 |\n'.repeat(14),
  'equal lines of code': 'for (const a of b) {\n  count += a;\n}\n'.repeat(6),
  'one Chinese sentence six times': '熔断器在连续失败之后打开，冷却一段时间。'.repeat(6),
} as const;

/** More texts: of other languages, forms and periods. */
export const MORE_TEXTS = {
  'lines of a log':
    '2026-11-19 10:00:01 INFO started worker 1\n2026-11-19 10:00:02 INFO started worker 2\n' +
    '2026-11-19 10:00:05 WARN worker 1 is slow (1200 ms)\n2026-11-19 10:00:09 INFO worker 1 recovered\n' +
    '2026-11-19 10:00:12 ERROR worker 3 failed: ECONNRESET\n',
  French:
    "Le disjoncteur compte les erreurs ; lorsqu'il y en a trop, il s'ouvre. Après une pause, une seule requête " +
    "passe : si elle réussit, tout reprend, sinon l'attente est plus longue. C'est la règle.",
  Japanese:
    'サーキットブレーカーは、連続した失敗のあとで開きます。しばらく待ってから、一つだけ試しの要求を通します。成功すれば閉じます。',
  Korean:
    '회로 차단기는 실패를 세고, 너무 많으면 열립니다. 잠시 쉰 다음 한 요청만 보내고, 성공하면 다시 닫힙니다.',
  Russian:
    'Предохранитель считает ошибки и открывается, когда их слишком много. После паузы проходит один запрос.',
  Vietnamese:
    'Cầu dao đếm số lần lỗi, và khi có quá nhiều lỗi trong một thời gian ngắn thì nó mở ra: mọi yêu cầu đều bị từ chối.',
  Python:
    'def total(items):\n    result = 0\n    for item in items:\n        if item is None:\n            continue\n' +
    '        result += item.price\n    return result\n\n\ndef mean(items):\n    return total(items) / len(items)\n',
  'comma-separated values':
    'id,name,price\n1,tea,3.50\n2,coffee,4.00\n3,water,1.00\n4,juice,3.00\n',
  Markdown:
    '# Title\n\nSome **bold** text and `code`.\n\n## Part one\n\n- first point\n  - nested point\n- second point\n\n' +
    '> A quote of two\n> lines.\n\n1. One\n2. Two\n',
  'numbered steps': Array.from(
    { length: 14 },
    (_, at) => `Step ${at + 1}: check the value and go on.\n`,
  ).join(''),
  'two files that are alike': ['red', 'blue']
    .map(
      (name) =>
        `const name = '${name}';\nexport function paint(wall) {\n  return wall.with(name);\n}\n\n`,
    )
    .join(''),
  'Windows line ends':
    'The steps are:\r\n\r\n1. Open the settings.\r\n2. Choose a model.\r\n\r\nThen save them.\r\n',
  'a stanza three times':
    'Row, row, row your boat,\nGently down the stream,\nMerrily, merrily, merrily, merrily,\nLife is but a dream.\n'.repeat(
      3,
    ),
  'a refrain': 'Na na na na, na na na na, hey hey hey, goodbye. '.repeat(4),
  'equal tasks': '- [ ] Write a test\n'.repeat(10),
  'equal rows of HTML': '<tr><td>0</td><td>0</td></tr>\n'.repeat(8),
  'equal rows under their names': `id,value\n${'1,0\n'.repeat(20)}`,
  'equal objects': `{"rows":[${'{"a":0,"b":null},'.repeat(9)}{}]}`,
  'one Japanese sentence six times': '要求を確認し、モデルを選び、送ります。'.repeat(6),
} as const;

/** Texts that repeat themselves: where a continuation begins in them may be impossible to know. */
export const PERIODIC: ReadonlySet<string> = new Set<string>([
  'one sentence eight times',
  'equal rows',
  'equal lines of code',
  'one Chinese sentence six times',
  'a stanza three times',
  'a refrain',
  'equal tasks',
  'equal rows of HTML',
  'equal rows under their names',
  'equal objects',
  'one Japanese sentence six times',
]);

const ROW = '| 0 | 0 | 0 |\n';
const SENTENCE = 'The daemon checks each request, and then it asks a model. ';

/** Texts that repeat themselves after a beginning that they do not repeat. */
export const HEADED_TEXTS = {
  'equal rows under a heading': `The rows without a value are these:\n\n${ROW.repeat(12)}`,
  'one sentence over and over': `You wanted it six times. ${SENTENCE.repeat(6)}`,
  'zeros in a list': `const first = [${'0, '.repeat(40)}1];\n`,
} as const;
