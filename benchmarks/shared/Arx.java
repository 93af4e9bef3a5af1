import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataType;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.criteria.OrderedDistanceTCloseness;
import org.deidentifier.arx.metric.Metric;
import org.deidentifier.arx.metric.Metric.AggregateFunction;

/**
 * The optimal full-domain generalization by ARX, no row suppressed, of rows.csv in the working folder, as arx.csv.
 * Arguments: k, the quasi-identifiers with commas between, each with a hierarchy COLUMN.csv; and, for t-closeness with
 * the ordered distance, the sensitive column of whole numbers and t.
 */
public class Arx {
    public static void main(String[] arguments) throws Exception {
        List<String> quasiIdentifiers = Arrays.asList(arguments[1].split(","));
        Data data = Data.create("rows.csv", StandardCharsets.UTF_8, ',');
        for (String column : quasiIdentifiers) {
            Hierarchy hierarchy = Hierarchy.create(column + ".csv", StandardCharsets.UTF_8, ';');
            data.getDefinition().setAttributeType(column, hierarchy);
        }
        ARXConfiguration configuration = ARXConfiguration.create();
        configuration.addPrivacyModel(new KAnonymity(Integer.parseInt(arguments[0])));
        if (arguments.length > 2) {
            String sensitive = arguments[2];
            data.getDefinition().setAttributeType(sensitive, AttributeType.SENSITIVE_ATTRIBUTE);
            data.getDefinition().setDataType(sensitive, DataType.INTEGER);
            configuration.addPrivacyModel(new OrderedDistanceTCloseness(sensitive, Double.parseDouble(arguments[3])));
        }
        configuration.setSuppressionLimit(0d);
        configuration.setQualityModel(Metric.createLossMetric(0.5d, AggregateFunction.ARITHMETIC_MEAN));
        configuration.setHeuristicSearchThreshold(Integer.MAX_VALUE);
        ARXResult result = new ARXAnonymizer().anonymize(data, configuration);
        result.getOutput(false).save("arx.csv", ',');
    }
}
