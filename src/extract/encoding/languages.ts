/** A language as texts in legacy encodings show it. */
export interface LanguageLetters {
  /** Encodings that texts in it have, the usual one first; names of the Encoding Standard. */
  readonly encodings: readonly string[];
  /** Its letters beyond ASCII, in lower case, the most frequent first. */
  readonly letters: string;
}

const CYRILLIC = ['windows-1251', 'koi8-r', 'ibm866', 'iso-8859-5', 'x-mac-cyrillic'];
const WESTERN = ['windows-1252', 'macintosh'];
const CENTRAL = ['windows-1250', 'iso-8859-2'];
const TURKISH = ['windows-1254'];
const BALTIC = ['windows-1257', 'iso-8859-13', 'iso-8859-4'];

export const ALPHABETS: readonly LanguageLetters[] = [
  { encodings: CYRILLIC, letters: 'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё' },
  { encodings: [...CYRILLIC, 'koi8-u'], letters: 'оаинітевсрлкдмупзьбяйгхчцжшющєїфґ' },
  { encodings: CYRILLIC, letters: 'аеоитнвсрлдкпмзяъгубцчжщшхйфюь' },
  { encodings: ['windows-1251', 'iso-8859-5'], letters: 'аоеинртсвукдмлјпзгбшчжцњхћљђџф' },
  { encodings: WESTERN, letters: 'éèàêçôâîùûëïœÿæ' },
  { encodings: WESTERN, letters: 'üäößé' },
  { encodings: WESTERN, letters: 'óíáñéúü' },
  { encodings: WESTERN, letters: 'ãçáéõóíêúâôàü' },
  { encodings: WESTERN, letters: 'àèòùìéî' },
  { encodings: WESTERN, letters: 'äöåøæéü' },
  { encodings: WESTERN, letters: 'áðéíóúýþæö' },
  { encodings: CENTRAL, letters: 'ęąłóżśćńźé' },
  { encodings: CENTRAL, letters: 'íáéěřšžýčůúťďňóäľôĺŕ' },
  { encodings: CENTRAL, letters: 'éáőöóüűíú' },
  { encodings: CENTRAL, letters: 'ăşâţîé' },
  { encodings: CENTRAL, letters: 'čšžćđ' },
  { encodings: TURKISH, letters: 'ıüşçğöâî' },
  { encodings: BALTIC, letters: 'āīšēņļģžūčķ' },
  { encodings: BALTIC, letters: 'ėšųžįčąęū' },
  { encodings: BALTIC, letters: 'äõüöšž' },
  { encodings: ['windows-1253', 'iso-8859-7'], letters: 'αοιετσνηρκπυλςμγωίάδόέθήφβχύώξζψϊϋΐΰ' },
  { encodings: ['windows-1255', 'iso-8859-8'], letters: 'יוהלתארמבנשדקחעפגטצסזכםןץךף' },
  { encodings: ['windows-1256', 'iso-8859-6'], letters: 'البيمتنروعدقكسفهحجطصشضخزثغظذأإةىئءآؤ' },
  { encodings: ['windows-1256'], letters: 'اینردمهتوسبلشزکگخفقپجحعچطصضذثغظئآأءژ' },
  { encodings: ['windows-874'], letters: 'านรกอเงมยลวดทสตะปบคหแจพชขใไโผซณถศธฟญษฐภฉฎฮฏฆฑฒฝฬึืีิุู่้ั็์ำๆๅ' },
  { encodings: ['windows-1258'], letters: 'đưôơêâăàáìíùúéèóòý\u0300\u0301\u0303\u0309\u0323' },
];

/** Languages of two bytes a letter, by letters that every text has. */
export const IDEOGRAPHIC: readonly (LanguageLetters & { readonly kind: 'zh' | 'ja' | 'ko' })[] = [
  {
    kind: 'zh',
    encodings: ['gb18030'],
    letters:
      '的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运笔件务编码字符系统文件数据使用户名密信息网络程序语言标准技术计算机',
  },
  {
    kind: 'zh',
    encodings: ['big5'],
    letters:
      '的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運台灣臺',
  },
  {
    kind: 'ja',
    encodings: ['shift_jis', 'euc-jp'],
    letters:
      '日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新場金員九入選立開手米力学問高代明実円関決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法不来作性的要用制治度務強気小七成期公野協取都和統以機平総加山思家話世受区領多県続進正安設保改数記院女初北午指権心界支第産結百派点教報済書府活原先共得解名交資予川向際査勝面委告軍文反元重近千考判認画海参売利組知案道信策集在件団別物側任引使求所次水半品昨論計死官増係感特情投示変打男基私各始島直両朝革価式確村提運終挙果西勢減台広容必応演電歳住争談能無再位置企真流格有疑口過局少放税検藤町常校料沢裁状工建語球営空職証土与急止送援供可役構木割聞身費付施切由説転食比難防補車優夫研収断井何南石足違消境神番規術護展態導鮮備宅害配副算視条幹独警宮究育席輸訪楽起万着乗店述残想線率病農州武声質念待試族象銀域助労例衛然早張映限親額監環験追審商葉義伝働形景落好退準賀訴辺造英被株頭技低毎医復仕去姿味負閣韓渡失移差衆個門写評課末守若脳極種美岡影命含福蔵量望松非撃佐核観察整段横融型白深字答夜製票況音申様財港識注呼渉達髙橋淳齢郎古屋阪',
  },
  {
    kind: 'ko',
    encodings: ['euc-kr'],
    letters:
      '이다의는에을가고하은한지로를사자기도시어그일대리나해서정인아수있과만라전구보부장주스제들것으면적성여음와상오소관신우원공국동치게세경조내안비용문연거생화학방위무계미민중물회분실발모당개업양유영간선금작되었습니않된했더같또년월데러진요까호명마체바두히트각던며결외현식드못산교단본반재법입행',
  },
];
