import io.trino.FeaturesConfig;
import io.trino.client.NodeVersion;
import io.trino.metadata.FunctionBundle;
import io.trino.metadata.InternalFunctionBundle;
import io.trino.metadata.SystemFunctionBundle;
import io.trino.spi.function.*;
import io.trino.spi.type.*;
import io.trino.type.BlockTypeOperators;
import java.util.*;

/**
 * Prints the functions and operators of a Trino, one signature on a line; doc.go of the package says what a line means. The arguments are
 * the classes of plugins whose functions it prints too, each after a name and =.
 */
public class Functions {
    static final Set<String> OPERATORS = Set.of("ADD", "SUBTRACT", "MULTIPLY", "DIVIDE", "MODULUS", "NEGATION", "EQUAL", "LESS_THAN",
            "LESS_THAN_OR_EQUAL", "IS_DISTINCT_FROM", "SUBSCRIPT", "CAST");

    // By kind and name; the signatures of one name stay in the order in which Trino tries them.
    static final Map<String, Set<String>> lines = new TreeMap<>();
    static final Map<String, Map<String, String>> described = new TreeMap<>();

    public static void main(String[] args) throws ReflectiveOperationException {
        TypeOperators operators = new TypeOperators();
        FunctionBundle bundle = SystemFunctionBundle.create(new FeaturesConfig(), operators, new BlockTypeOperators(operators), new NodeVersion("x"));
        add(bundle.getFunctions(), "");
        for (String arg : args) {
            String[] plugin = arg.split("=");
            Object o = Class.forName(plugin[1]).getDeclaredConstructor().newInstance();
            for (Object c : (Set<?>) o.getClass().getMethod("getFunctions").invoke(o)) {
                add(InternalFunctionBundle.extractFunctions((Class<?>) c).getFunctions(), " #" + plugin[0]);
            }
        }
        lines.values().forEach(l -> l.forEach(System.out::println));
        // What is said of all signatures of a name is printed once.
        described.forEach((name, texts) -> {
            boolean same = new HashSet<>(texts.values()).size() == 1;
            texts.forEach((types, text) -> {
                if (!text.isEmpty() && (!same || types.equals(texts.keySet().iterator().next()))) {
                    System.out.println("D " + name + (same ? "" : types) + " = " + text.replace('\n', ' '));
                }
            });
        });
    }

    static void add(Collection<FunctionMetadata> functions, String flag) {
        for (FunctionMetadata f : functions) {
            String name = f.getCanonicalName();
            char kind = f.getKind().name().charAt(0);
            if (name.startsWith("$operator$")) {
                name = name.substring("$operator$".length());
                kind = 'O';
                name = name.equals("IDENTICAL") ? "IS_DISTINCT_FROM" : name; // which is its negation
                if (!OPERATORS.contains(name)) {
                    continue;
                }
            }
            else if (name.startsWith("$")) {
                continue;
            }
            else {
                name = name.toLowerCase(Locale.ENGLISH);
            }
            StringBuilder b = new StringBuilder().append(kind).append(' ').append(name);
            for (String alias : new TreeSet<>(f.getNames())) {
                if (!alias.equals(f.getCanonicalName())) {
                    b.append('|').append(alias.toLowerCase(Locale.ENGLISH));
                }
            }
            b.append('(');
            Signature s = f.getSignature();
            List<Boolean> nulls = f.getFunctionNullability().getArgumentNullable();
            for (int i = 0; i < s.getArgumentTypes().size(); i++) {
                b.append(i > 0 ? ", " : "").append(s.getArgumentTypes().get(i)).append(nulls.get(i) ? "?" : "");
            }
            b.append(s.isVariableArity() ? "...) " : ") ").append(s.getReturnType()).append(f.getFunctionNullability().isReturnNullable() ? "?" : "");
            List<String> rules = new ArrayList<>();
            for (TypeVariableConstraint c : s.getTypeVariableConstraints()) {
                rules.add(c.toString());
            }
            for (LongVariableConstraint c : s.getLongVariableConstraints()) {
                rules.add(c.getName() + " = " + c.getExpression());
            }
            b.append(rules.isEmpty() ? "" : " | " + String.join("; ", rules));
            b.append(f.isHidden() && kind != 'O' ? " #hidden" : "").append(f.isDeterministic() ? "" : " #nondeterministic").append(f.isDeprecated() ? " #deprecated" : "").append(flag);
            lines.computeIfAbsent(kind + name, k -> new LinkedHashSet<>()).add(b.toString());
            if (kind != 'O' && !f.isHidden()) {
                String types = s.getArgumentTypes().toString();
                described.computeIfAbsent(name, k -> new TreeMap<>()).put("(" + types.substring(1, types.length() - 1) + ")", f.getDescription());
            }
        }
    }
}
