// The few texts that are shown before a reader opens the widget; web/strings/ has all others.

/** Search, its field, ask, what stands where a chunk could not be loaded. */
const labels = {
  en: ['Search', 'Search or ask', 'Ask AI', 'No connection. Try again.'],
  de: ['Suche', 'Suchen oder fragen', 'KI fragen', 'Keine Verbindung. Versuchen Sie es erneut.'],
  fr: ['Recherche', 'Chercher ou demander', 'Demander à l’IA', 'Pas de connexion. Réessayez.'],
  es: ['Buscar', 'Buscar o preguntar', 'Preguntar a la IA', 'Sin conexión. Inténtelo de nuevo.'],
  it: ['Cerca', 'Cerca o chiedi', 'Chiedi all’IA', 'Nessuna connessione. Riprova.'],
  pt: ['Pesquisar', 'Pesquisar ou perguntar', 'Perguntar à IA', 'Sem conexão. Tente de novo.'],
  nl: ['Zoeken', 'Zoeken of vragen', 'Vraag het AI', 'Geen verbinding. Probeer het opnieuw.'],
  ja: ['検索', '検索または質問', 'AI に質問', '接続できません。もう一度お試しください。'],
  zh: ['搜索', '搜索或提问', '询问 AI', '无法连接，请重试。'],
}

export interface Labels {
  search: string
  placeholder: string
  ask: string
  failed: string
}

/** The labels of the first of these languages (`de-AT`, `de`) that there are; English where there are none. */
export function findLabels(tags: readonly string[]): Labels {
  const known = tags.map((tag) => tag.toLowerCase().split(/[-_]/)[0] as keyof typeof labels)
  const [search, placeholder, ask, failed] = labels[known.find((tag) => tag in labels) ?? 'en']
  return { search, placeholder, ask, failed } as Labels
}
