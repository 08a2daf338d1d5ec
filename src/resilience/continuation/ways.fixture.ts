const SENTENCE = 'The daemon checks each request, and then it asks a model. ';
const CHINESE = '熔断器在连续失败之后打开，冷却一段时间。';

/** Texts that repeat themselves, and texts that do not. */
export const PERIODIC_TEXTS = {
  'one English sentence, ten times': SENTENCE.repeat(10),
  'one English sentence, three times': SENTENCE.repeat(3),
  'rows of a table': '| 0 | 0 | 0 |\n'.repeat(20),
  'three lines of code': 'for (const a of b) {\n  count += a;\n}\n'.repeat(8),
  'one Chinese sentence, eight times': CHINESE.repeat(8),
  emoji: '🎉🚀👍'.repeat(30),
  ab: 'ab'.repeat(150),
  a: 'a'.repeat(200),
  blanks: 'a  b   c    '.repeat(15),
  words: 'blah blah '.repeat(20),
  'a long paragraph, three times': Array.from({ length: 60 }, (_, at) => `w${at} `)
    .join('')
    .repeat(3),
} as const;

const PROSE =
  'A circuit breaker stands between a client and a service that may fail. It counts failures, and when too ' +
  'many of them come within a short time, it opens: from then on every request is refused at once, so that ' +
  'neither side waits for something that cannot happen. After a cool-down one probe is let through. If it ' +
  'succeeds, the breaker closes again; if not, the next cool-down is longer than the last.\n\nThe limits are ' +
  'settings, and "doctor" shows them. 请注意：每个模型都有自己的熔断器，账户也有一个。';

export const ORDINARY_TEXTS = {
  prose: PROSE,
  chinese:
    '熔断器在连续失败之后打开，冷却一段时间，然后只放行一个探测请求；如果成功就重新关闭，否则再等更久。每个模型都有一个，账户也有一个。',
  emoji: 'Done 🎉🚀 next 👩‍👩‍👧 family, flags 🇦🇺🇩🇪 and 𝒜𝒷𝒸 letters 😀😃😄😁 to the very end 🏁.',
  code: 'function add(a, b) {\n    if (a === 0) {\n        return b;\n    }\n    return a + b;\n}\n',
  numbers: Array.from({ length: 80 }, (_, at) => String(at)).join(', '),
  'different words': Array.from({ length: 100 }, (_, at) => `word${at * 37}`).join(' '),
  'rows of a table': Array.from(
    { length: 12 },
    (_, at) => `| model ${at} | ${at * 17} tokens | ${at % 2 === 0 ? 'yes' : 'no'} |\n`,
  ).join(''),
} as const;

/** Texts in which a line, a closing tag or a part of a token comes twice in a row. */
export const CODE_TEXTS = {
  'target triples':
    'cargo build --target wasm32-unknown-unknown --release\nrustup target add wasm32-unknown-unknown --toolchain stable-unknown\n',
  'import paths':
    "import { a } from '../listeners/listeners.ts';\nimport { b } from '../resolvers/resolvers/index.ts';\nimport { c } from '../listeners/listeners.test.ts';\n",
  JSX:
    '<Container>\n  <Box>\n    <Container>\n      <Box>\n        <Typography>Hi</Typography>\n      </Box>\n    </Container>\n  </Box>\n' +
    '  <Container>\n    <Container>\n      <hr />\n    </Container>\n  </Container>\n</Container>\n',
  HTML: '<div><section><section><p>One</p></section></section>\n<section></section></div>\n<div></div><div></div></body>\n</html>\n',
  Ruby: 'module A\n  class B\n    def c\n      if d\n        e.each do |f|\n          puts f\n        end\n      end\n    end\n  end\nend\n',
  SQL: "INSERT INTO teas (id, name, price) VALUES\n  (1, 'tea', 3),\n  (2, 'mate', 4),\n  (2, 'mate', 4),\n  (3, 'chai', 4);\n",
  XML: '<rows>\n  <row>\n    <cell>0</cell>\n    <cell>0</cell>\n  </row>\n  <row>\n    <cell>1</cell>\n  </row>\n</rows>\n',
  LaTeX:
    '\\begin{itemize}\n\\item One\n\\begin{itemize}\n\\item Two\n\\end{itemize}\n\\end{itemize}\n\\end{document}\n',
  screenplay:
    'INT. KITCHEN - DAY\n\nANNA stands at the window.\n\nCONTINUED:\n\nBEN enters.\n\nCONTINUED: (2)\n\nANNA\nWho is there?\n\n继续：\n\n(CONTINUED)\n\nFortsetzung:\n\nBEN\nOnly me.\n',
} as const;

/** Lines and blocks that come twice: only a vendor that continues the text itself keeps both. */
export const DOUBLED_TEXTS = {
  'a long row of SQL':
    "INSERT INTO items (id, name, price, stock) VALUES\n  (1, 'green tea from Uji', 3.50, 'in stock'),\n  (1, 'green tea from Uji', 3.50, 'in stock'),\n  (2, 'mate', 4, 'sold');\n",
  'a record of XML':
    '<rows>\n  <row>\n    <id>17</id>\n    <name>tea</name>\n  </row>\n  <row>\n    <id>17</id>\n    <name>tea</name>\n  </row>\n</rows>\n',
  'a phrase': 'They went there again and again, as if it were far, far away, far away.',
} as const;

/** Positions where no character is split. */
export function cutsOf(text: string): number[] {
  const found: number[] = [];
  let at = 0;
  for (const point of text) {
    at += point.length;
    if (at < text.length) found.push(at);
  }
  return found;
}

export const PREAMBLES = [
  'Continuing from where I left off:\n\n',
  'Sure, here is the rest of my previous answer:\n\n',
  '继续上文：\n',
  'Ich fahre fort, wo ich aufgehört habe:\n\n',
] as const;
