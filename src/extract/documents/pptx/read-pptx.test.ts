import { expect } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { archiveOf, relations } from '../office/office-files.fixture.ts';
import { readPptx } from './read-pptx.ts';

const shape = (text: string, type?: string) =>
  `<p:sp><p:nvSpPr><p:nvPr>${type === undefined ? '' : `<p:ph type="${type}"/>`}</p:nvPr></p:nvSpPr><p:txBody>${text
    .split('\n')
    .map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`)
    .join('')}</p:txBody></p:sp>`;
const slide = (shapes: string, attributes = '') =>
  `<p:sld${attributes}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`;
const point = (at: number, value: string) => `<c:pt idx="${at}"><c:v>${value}</c:v></c:pt>`;

const PRESENTATION = archiveOf({
  '_rels/.rels': relations(['r', 'officeDocument', 'ppt/presentation.xml']),
  'ppt/presentation.xml':
    '<p:presentation><p:sldIdLst><p:sldId id="256" r:id="b"/><p:sldId id="257" r:id="a"/></p:sldIdLst></p:presentation>',
  'ppt/_rels/presentation.xml.rels': relations(
    ['a', 'slide', 'slides/slide1.xml'],
    ['b', 'slide', 'slides/slide2.xml'],
  ),
  'ppt/slides/slide1.xml': slide(
    `<p:graphicFrame><a:graphic><a:graphicData><c:chart r:id="c"/></a:graphicData></a:graphic></p:graphicFrame>`,
    ' show="0"',
  ),
  'ppt/slides/_rels/slide1.xml.rels': relations(['c', 'chart', '../charts/chart1.xml']),
  'ppt/charts/chart1.xml': `<c:chartSpace><c:chart><c:title><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache>${point(0, '2025')}</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache>${point(0, 'Q1')}${point(1, 'Q2')}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:formatCode>General</c:formatCode>${point(0, '10')}${point(1, '20')}</c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`,
  'ppt/slides/slide2.xml': slide(
    `${shape('one\ntwo', 'body')}<p:grpSp>${shape('grouped')}</p:grpSp>${shape('Plan', 'title')}${shape('7', 'sldNum')}`,
  ),
  'ppt/slides/_rels/slide2.xml.rels': relations(['n', 'notesSlide', '../notesSlides/n.xml']),
  'ppt/notesSlides/n.xml': slide(shape('say this', 'body')),
});

verifies(
  'documents-office:places',
  'slides are read in the order of the presentation',
  async () => {
    const { parts, pageCount } = await readPptx(PRESENTATION, {});
    expect(pageCount).toBe(2);
    expect(parts.map(({ place }) => place)).toEqual([
      { is: 'slide', slide: 1 },
      { is: 'slide', slide: 2 },
    ]);
    expect(parts[0]?.markdown).toBe('# Plan\n\n- one\n- two\n\ngrouped\n\nNotes:\n\nsay this');
  },
);

verifies('documents-office:text', 'a chart is its title and a table', async () => {
  const { parts } = await readPptx(PRESENTATION, { pages: { first: 2, last: 2 } });
  expect(parts.map(({ markdown }) => markdown)).toEqual([
    '**Sales**\n\n|  | 2025 |\n| --- | --- |\n| Q1 | 10 |\n| Q2 | 20 |',
  ]);
});

verifies('documents-office:hidden', 'a hidden slide is named', async () => {
  const { notices } = await readPptx(PRESENTATION, {});
  expect(notices).toMatchObject([
    { code: 'document_hidden_parts', params: { parts: ['slide 2'] } },
  ]);
});
