/** Pairs of Chinese characters, and the words of English texts about the same. */
export const CHINESE_WORDS = `
天气=weather,forecast 气温=temperature,weather 空气=air,pollution 新闻=news 头条=headline,news
旅行=travel,trip 旅游=travel,tourism 酒店=hotel 宾馆=hotel 住宿=accommodation,hotel 航班=flight
机票=flight,ticket 飞机=flight,plane 火车=train 高铁=train,rail 地铁=subway,transit 打车=taxi,ride
餐厅=restaurant 饭店=restaurant,hotel 美食=food,restaurant 菜谱=recipe 食谱=recipe 健康=health
医生=doctor,medical 医院=hospital,medical 药物=drug,medication 音乐=music 歌曲=song,music 电影=movie,film
视频=video 图书=book 书籍=book 游戏=game 体育=sports 比赛=match,game 门票=ticket 日历=calendar
日程=schedule,calendar 会议=meeting 提醒=reminder 任务=task 待办=todo 工作=work,job 招聘=job,hiring
课程=course 学习=learn 论文=paper,research 文献=literature,paper 研究=research 计算=calculate 数学=math
统计=statistics 商品=product 购买=buy,purchase 购物=shopping 订单=order 折扣=discount 优惠=discount,coupon
价格=price 股票=stock 股价=stock,price 金融=finance 财经=finance 基金=fund 汇率=exchange,currency
货币=currency 转账=transfer,payment 支付=payment 银行=bank 发票=invoice 税务=tax 保险=insurance 公司=company
企业=company,business 客户=customer 市场=market 营销=marketing 法律=law,legal 合同=contract 政府=government
历史=history 图片=image,picture 图像=image 照片=photo 截图=screenshot 绘图=draw,chart 图表=chart,graph
流程=workflow,process 地图=map 位置=location 地址=address 附近=nearby 路线=route,direction
导航=navigate,route 距离=distance 时间=time 时区=timezone 日期=date 翻译=translate,translation
语言=language 单词=word,dictionary 词典=dictionary 语法=grammar 写作=writing 文章=article 摘要=summary
总结=summary,summarize 文档=document 文件=file 目录=directory,folder 夹里=folder 表格=spreadsheet,table
电子=electronic 演示=presentation 幻灯=slides,presentation 读取=read 打开=open 查看=view,show 写入=write
保存=save 创建=create 新建=create,new 添加=add 删除=delete,remove 修改=update,edit 更新=update 编辑=edit
列出=list 列表=list 搜索=search 查找=find,search 查询=query,search 检索=search,retrieve 获取=get,fetch
抓取=fetch,scrape 爬取=crawl,scrape 下载=download 上传=upload 移动=move 复制=copy 压缩=compress 转换=convert
格式=format 数据=data 据库=database 网页=web,page 网站=website 网络=network,web 浏览=browse,browser
链接=link,url 服务=service 密码=password 安全=security 漏洞=vulnerability 登录=login 用户=user 账户=account
消息=message 短信=message,sms 聊天=chat 邮件=email,mail 邮箱=email,mailbox 发送=send 电话=phone,call
联系=contact 社交=social 微博=weibo,social 微信=wechat 博客=blog,post 音频=audio 语音=speech,voice 声音=sound
转录=transcribe,transcript 字幕=subtitle,caption 代码=code 编程=programming,code 程序=program,code
函数=function 仓库=repository 提交=commit,submit 分支=branch 问题=issue,question 错误=error 调试=debug
测试=test 部署=deploy 容器=container,docker 日志=log 监控=monitor 设备=device 笔记=note 记忆=memory
知识=knowledge 百科=encyclopedia,wikipedia 人口=population 国家=country 城市=city 宠物=pet 动物=animal
植物=plant 天文=astronomy 星座=horoscope,zodiac 运势=horoscope 随机=random 颜色=color 字体=font 二维=qr
维码=code 单位=unit 能源=energy 物理=physics 化学=chemistry 生物=biology 快递=delivery,package
物流=delivery,shipping 分析=analysis,analyze 比较=compare 推荐=recommend 评论=review,comment 审查=review
建议=suggestion,advice 计划=plan 生成=generate,create 自动=automatic 权限=permission 通知=notification
执行=run,execute 运行=run,execute 存储=store,save,create,add 储存=store,save 记录=record,log 记住=remember,memory 忘记=forget,delete
信息=information 实体=entity 关系=relation 图谱=graph 事实=fact 人物=person 件夹=folder,directory 重命=rename,move
替换=replace,edit 移除=remove,delete 清除=clear,delete 变量=variable 环境=environment 大小=size 内容=content
无聊=bored,fun 心情=mood,emotion 情绪=emotion,mood 压力=stress,pressure 焦虑=anxiety,stress 放松=relax
睡眠=sleep 失眠=insomnia,sleep 习惯=habit 目标=goal 朋友=friend 家庭=family,home
家人=family 父母=parent 孩子=child,kid 儿童=child,kid 老人=elderly,senior 婚礼=wedding
结婚=wedding,marriage 生日=birthday 礼物=gift 聚会=party 活动=event,activity 节日=festival,holiday
假期=holiday,vacation 周末=weekend 度假=vacation 景点=attraction,sight 签证=visa 护照=passport
行李=luggage 租车=rental,car 汽车=car,vehicle 停车=parking 加油=fuel,gas 公交=bus,transit
交通=traffic,transport 骑行=bicycle,cycling 房屋=house,property 房产=property,estate 租房=rent,apartment 公寓=apartment
装修=renovation,interior 家具=furniture 家居=home,smart 打扫=cleaning 维修=repair 花园=garden
衣服=clothes 服装=clothes,fashion 时尚=fashion 化妆=makeup,beauty 护肤=skincare,beauty 鞋子=shoes
珠宝=jewelry 手机=phone,smartphone 电脑=computer,laptop 退款=refund 收入=income 支出=expense
预算=budget 账单=bill 储蓄=saving 贷款=loan 房贷=mortgage 信用=credit
利率=interest,rate 利息=interest 投资=investment,invest 黄金=gold 债券=bond 养老=pension,retirement
工资=salary 薪资=salary 简历=resume 面试=interview 职业=career,job 员工=employee
创业=startup,business 广告=advertising,ad 品牌=brand 竞争=competitor 调查=survey 库存=inventory
供应=supplier,supply 专利=patent 法院=court 选举=election 健身=fitness,workout 锻炼=exercise,workout
运动=exercise,sports 跑步=running 瑜伽=yoga 减肥=weight,diet 饮食=diet,nutrition 营养=nutrition
热量=calorie 体重=weight 症状=symptom 疾病=disease 预约=appointment,booking 预订=booking,reservation
预定=booking,reservation 挂号=appointment,doctor 咖啡=coffee 外卖=food,delivery 足球=football,soccer 篮球=basketball
球队=team 球员=player 演唱=concert 歌词=lyrics 歌手=singer,artist 演员=actor
导演=director 节目=show,program 电视=tv 小说=novel 故事=story 诗歌=poem
笑话=joke 谜语=riddle 作家=author 作者=author 学校=school 大学=university,college
考试=exam,test 作业=homework 老师=teacher 学生=student 教育=education 艺术=art
绘画=painting,drawing 博物=museum 舞蹈=dance 摄影=photo,camera 设计=design 机器=machine,robot
智能=smart,ai 模型=model 闹钟=alarm 空调=thermostat,home 灯光=light 温度=temperature
湿度=humidity 地震=earthquake 哲学=philosophy 宗教=religion 邮编=postcode,zip 表单=form
模板=template 备份=backup 恢复=restore 加密=encrypt 解密=decrypt 域名=domain
数组=array 排序=sort 过滤=filter 筛选=filter 平均=average,mean 概率=probability
面积=area 体积=volume 速度=speed,velocity 重量=weight 方程=equation 几何=geometry
矩阵=matrix
`;
