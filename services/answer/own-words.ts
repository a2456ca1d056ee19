// What Lectern says of its own accord in a chat, by the language of the question.
import type { QuestionLanguage } from './question-language.ts'

export interface OwnWords {
  /** A refusal, and what leads to the nearest pages. */
  none: string
  near: string
  /** Answers to a greeting and to thanks. */
  greeting: string
  welcome: string
}

export const ownWords: Record<QuestionLanguage, OwnWords> = {
  en: {
    none: 'I found nothing about this in this documentation.',
    near: 'The pages nearest to your question:',
    greeting: 'Hello! Ask me anything about this documentation.',
    welcome: 'You are welcome. Ask me whenever something else about this documentation comes up.',
  },
  de: {
    none: 'Dazu habe ich in dieser Dokumentation nichts gefunden.',
    near: 'Die Seiten, die Ihrer Frage am nächsten kommen:',
    greeting: 'Hallo! Fragen Sie mich, was Sie über diese Dokumentation wissen möchten.',
    welcome: 'Gern geschehen. Fragen Sie mich jederzeit wieder, wenn es um diese Dokumentation geht.',
  },
  fr: {
    none: "Je n'ai rien trouvé à ce sujet dans cette documentation.",
    near: 'Les pages les plus proches de votre question :',
    greeting: 'Bonjour ! Posez-moi vos questions sur cette documentation.',
    welcome: "Je vous en prie. N'hésitez pas si vous avez une autre question sur cette documentation.",
  },
  es: {
    none: 'No he encontrado nada sobre esto en esta documentación.',
    near: 'Las páginas más cercanas a su pregunta:',
    greeting: '¡Hola! Pregúnteme lo que quiera sobre esta documentación.',
    welcome: 'De nada. Pregúnteme cuando surja otra cosa sobre esta documentación.',
  },
  it: {
    none: 'Non ho trovato nulla su questo argomento in questa documentazione.',
    near: 'Le pagine più vicine alla sua domanda:',
    greeting: 'Salve! Mi chieda quello che vuole su questa documentazione.',
    welcome: 'Prego. Mi chieda pure se le serve altro su questa documentazione.',
  },
  pt: {
    none: 'Não encontrei nada sobre isto nesta documentação.',
    near: 'As páginas mais próximas da sua pergunta:',
    greeting: 'Olá! Pergunte-me o que quiser sobre esta documentação.',
    welcome: 'De nada. Pergunte-me sempre que surgir outra dúvida sobre esta documentação.',
  },
  nl: {
    none: 'Ik heb hierover niets gevonden in deze documentatie.',
    near: 'De pagina’s die het dichtst bij uw vraag komen:',
    greeting: 'Hallo! Stel me gerust een vraag over deze documentatie.',
    welcome: 'Graag gedaan. Vraag gerust verder als er iets over deze documentatie onduidelijk is.',
  },
  ja: {
    none: 'このドキュメントには、これに関する記述が見つかりませんでした。',
    near: 'ご質問に最も近いページ：',
    greeting: 'こんにちは。このドキュメントについて何でもお尋ねください。',
    welcome: 'どういたしまして。このドキュメントについて、またいつでもお尋ねください。',
  },
  zh: {
    none: '在本文档中没有找到与此相关的内容。',
    near: '与您的问题最接近的页面：',
    greeting: '您好！关于本文档的问题，请随时提问。',
    welcome: '不客气。关于本文档，有其他问题请随时提问。',
  },
}
