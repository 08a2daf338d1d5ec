import type { OfficeBlock } from '../office/office-block.ts';
import type { XmlElement } from '../xml/xml-node.ts';
import type { OdfContext } from './odf-context.ts';

/** The text of a shape or a frame: of a box, a table, a chart, a formula, or its description. */
export function readShape(shape: XmlElement, context: OdfContext): OfficeBlock[] {
  const object = shape.child('object');
  if (object !== undefined) return readObject(object, context);
  const blocks = context.readBlocks(shape.child('text-box') ?? shape, context);
  if (blocks.length > 0 || shape.child('image') === undefined) return blocks;
  const text = [shape.child('title'), shape.child('desc')]
    .map((element) => element?.text().replace(/\s+/g, ' ').trim() ?? '')
    .filter((each) => each !== '')
    .join(': ');
  return text === '' ? [] : [{ kind: 'paragraph', runs: [{ text: `Image: ${text}` }] }];
}

function readObject(object: XmlElement, context: OdfContext): OfficeBlock[] {
  // Flat files have the object inside.
  const root = object.elements()[0] ?? context.pack.embedded(object.get('href') ?? '');
  if (root === undefined) return [];
  const math = root.name === 'math' ? root : root.descendants('math')[0];
  if (math !== undefined) return readFormula(math);
  const chart =
    root.descendants('chart').find((each) => each.child('plot-area') !== undefined) ??
    root.path('body', 'chart', 'chart');
  return context.readBlocks(chart ?? root.child('body') ?? root, context);
}

/** The formula as it was typed, if the file has it. */
function readFormula(math: XmlElement): OfficeBlock[] {
  const source = math.descendants('annotation')[0]?.text() ?? math.text();
  const text = source.replace(/\s+/g, ' ').trim();
  return text === ''
    ? []
    : [{ kind: 'paragraph', runs: [{ text: `$${text}$`, isMarkdown: true }] }];
}
