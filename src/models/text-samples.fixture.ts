/** Texts as people write them, one for each kind that the estimate is held to. */
export const TEXT_SAMPLES = {
  english: `The lighthouse keeper had not spoken to anyone for eleven days when the supply boat finally came around the point.
He watched it from the gallery, counting the crates on its deck and wondering which of them held the lamp oil he had asked
for in September. The weather had been kind for once; the sea lay flat and grey, and gulls stood on the rocks as if they
were waiting for instructions. "You're early," he shouted, although nobody could hear him at that distance. In his log he
had written the same sentence every evening: wind from the west, visibility good, nothing to report. It wasn't quite true.
On the fourth night a ship without lights had passed so close that he could hear its engine, and he still didn't know
whether he ought to have fired a rocket. Tomorrow he would ask the captain about it, and about the newspaper, and whether
his sister's letter had arrived. For now there was coffee to make, and a rope to throw.`,

  chinese: `上个星期天，我们一家人去郊外爬山。天气很好，阳光照在树叶上，空气里有一股淡淡的花香。孩子们跑在最前面，一会儿停下来看蚂蚁搬家，一会儿又捡起
路边的小石头放进口袋。走到半山腰的时候，大家都有点累了，于是找了一块平坦的草地坐下来休息。妈妈从背包里拿出准备好的三明治和水果，爸爸则打开地图，研究接下来该走
哪条路。他说前面有两条小道，一条比较近，但是很陡；另一条要绕过一个湖，虽然远一些，风景却更漂亮。我们投票决定走湖边的那条路。事实证明这是一个正确的选择：湖水清澈
见底，可以看到小鱼在水草之间游来游去。下午四点左右，我们终于到达了山顶。站在那里往下看，整个城市都在脚下，高楼像积木一样整齐地排列着。回家的路上，孩子们在车里睡着
了，而我一直在想，其实幸福就是这么简单的事情。如果服务器返回的数据不完整，程序应该先检查网络连接，然后重新发送请求，最多尝试三次；仍然失败时，要把错误原因清楚地告诉
用户，而不是悄悄地忽略它。`,

  japanese: `先週の土曜日、久しぶりに祖母の家を訪ねました。駅からバスに乗って三十分ほど行くと、田んぼの間に古い木造の家が見えてきます。祖母は庭で花に水をやっ
ていて、私の姿を見つけると嬉しそうに手を振ってくれました。お昼ご飯には、畑で採れたばかりの野菜を使った天ぷらと、冷たいそうめんを用意してくれていました。食べながら、
子どもの頃の話をたくさん聞きました。昔はこの村にも映画館があって、週末になると家族みんなで歩いて出かけたそうです。午後は縁側に座って、写真のアルバムを一緒に見ました。
白黒の写真の中の若い祖母は、今の母にとてもよく似ています。帰り際に、祖母は手作りの梅干しを持たせてくれました。次に来るときは、弟も連れてこようと思います。サーバーから
の応答が途中で切れた場合、プログラムは受け取った部分を保存し、原因を利用者に分かりやすく説明しなければなりません。`,

  korean: `지난 주말에 친구들과 함께 바닷가로 여행을 다녀왔다. 아침 일찍 기차를 타고 출발했는데, 창밖으로 보이는 가을 들판이 정말 아름다웠다. 숙소에 짐을 풀고
나서 우리는 시장에 가서 신선한 생선과 채소를 샀다. 저녁에는 다 같이 요리를 했는데, 내가 만든 찌개는 조금 짰지만 친구들은 맛있다고 말해 주었다. 밤에는 모래사장에 앉아
파도 소리를 들으며 오랫동안 이야기를 나누었다. 대학교를 졸업한 뒤로 이렇게 모두 모인 것은 처음이라서, 서로의 직장 생활과 앞으로의 계획에 대해 할 말이 많았다. 다음 날
아침에는 해가 뜨는 것을 보려고 일찍 일어났지만, 구름이 많아서 잘 보이지 않았다. 그래도 아무도 실망하지 않았다. 집으로 돌아오는 길에 우리는 내년에도 꼭 다시 오자고
약속했다. 서버가 응답하지 않으면 프로그램은 연결 상태를 먼저 확인하고, 잠시 기다린 다음 요청을 다시 보내야 한다.`,

  mixed: `## 部署说明 (Deployment notes)

先运行 \`npm run build\`，再用 \`exai serve --port 8765\` 启动。If the port is taken, 请换一个端口，例如 9000。
- 配置文件: \`config.json\`，环境变量优先 (environment wins)
- ログは \`logs/\` に保存されます。サイズが上限を超えると自動的に切り替わります。
- 오류가 발생하면 \`exai doctor\`를 실행하세요. It prints one line per problem.

\`\`\`ts
const answer = await client.callTool({ name: 'chat', arguments: { prompt: '你好，世界' } });
if (answer.isError) throw new Error(\`调用失败: \${answer.content[0].text}\`);
\`\`\`
`,
} as const;
